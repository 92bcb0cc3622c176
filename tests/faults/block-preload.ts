import fs from "node:fs";

/**
 * On SIGUSR2 the event loop blocks while the file exists: no timer fires and no answer is read, then all come
 * at once, as after a long computation.
 */
const file = process.env.RECADO_TEST_BLOCK ?? "";
const never = new Int32Array(new SharedArrayBuffer(4));

process.on("SIGUSR2", () => {
  while (fs.existsSync(file)) Atomics.wait(never, 0, 0, 50);
});
