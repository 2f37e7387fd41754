/** The org of records made on this machine; the gateway puts the key's own in its place. */
export const LOCAL_ORG = "local";
