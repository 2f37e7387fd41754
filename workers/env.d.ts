/** The compiled routes and configuration, embedded at build time (see wrangler.toml `[alias]`). */
declare module "modelrig:compiled" {
  const compiled: import("../src/config/config.ts").CompiledBundle;
  export default compiled;
}
