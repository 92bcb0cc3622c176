import { registerHooks } from "node:module";

// `node --import bench/scripted-preload.ts dist/server/main.js`: the whole product, with a channel that costs nothing where the device
// would be. Nothing in the product can be set to do so; this is the only way.
registerHooks({
  resolve(specifier, context, next) {
    const scripted = specifier === "./device.js";
    return scripted
      ? next(new URL("scripted-device.ts", import.meta.url).href, context)
      : next(specifier, context);
  },
});
