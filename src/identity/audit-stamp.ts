/** Who made a change, and when. Every change of the control plane is logged with it. */
export interface AuditStamp {
  /** A key's id, `cli:<user>` for a change made with the database token, `cycle:<name>` for scheduled work. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
}
