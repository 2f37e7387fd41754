/** The build of liquidjs without a file system; the package declares types for its main entry only. */
declare module "liquidjs/dist/liquid.browser.mjs" {
  export * from "liquidjs";
}
