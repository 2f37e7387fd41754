/** A route bundle as a plain object: the keys of `routes/*.yaml`, checked as strictly (docs/routes.md). */
export interface RouteBundle {
  readonly route: string;
  readonly candidates: readonly {
    readonly provider: string;
    readonly model: string;
    readonly params?: Readonly<Record<string, unknown>> | undefined;
    readonly trial?: boolean | undefined;
  }[];
  readonly [key: string]: unknown;
}
