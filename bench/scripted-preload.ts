import { registerHooks } from "node:module";

// `node --import bench/scripted-preload.ts src/server/main.ts`: the whole product, with a channel that costs nothing where the device
// would be. Nothing in the product can be set to do so; this is the only way.
registerHooks({
  resolve(specifier, context, next) {
    const scripted = specifier.endsWith("/transports/device/device.ts");
    return scripted
      ? next(new URL("scripted-device.ts", import.meta.url).href, context)
      : next(specifier, context);
  },
});
