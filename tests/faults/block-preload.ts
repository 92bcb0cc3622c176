import fs from "node:fs";

/**
 * On SIGUSR2 the event loop of this process stands still for as long as the file exists: no timer fires, no answer is read, and all of
 * it comes at once afterwards, as after a computation that takes too long.
 */
const file = process.env.RECADO_TEST_BLOCK ?? "";
const never = new Int32Array(new SharedArrayBuffer(4));

process.on("SIGUSR2", () => {
  while (fs.existsSync(file)) Atomics.wait(never, 0, 0, 50);
});
