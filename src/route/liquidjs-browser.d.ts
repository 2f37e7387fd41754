/** The build of liquidjs that asks for no file system; the package declares types for its main entry only. */
declare module "liquidjs/dist/liquid.browser.mjs" {
  export * from "liquidjs";
}
