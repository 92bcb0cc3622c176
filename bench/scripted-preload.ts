import { registerHooks } from "node:module";

// `node --import bench/scripted-preload.ts dist/server/main.js` runs the whole product with an instant
// device. No setting of the product can do this.
registerHooks({
  resolve(specifier, context, next) {
    const scripted = specifier === "./device.js";
    return scripted
      ? next(new URL("scripted-device.ts", import.meta.url).href, context)
      : next(specifier, context);
  },
});
