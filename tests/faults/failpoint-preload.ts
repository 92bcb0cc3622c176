// Preloaded in fault runs: kills the process, as kill -9 does, the nth time a send reaches the step. Said by
// RECADO_TEST_FAILPOINT=bytes_written:3, or later through the channel.
import { type Failpoint, setFailpoint } from "../../src/server/base/failpoint.ts";

function arm(text: string): void {
  const [step, nth = "1"] = text.split(":");
  let left = Number(nth);
  setFailpoint((name: Failpoint) => {
    if (name !== step) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  });
}

arm(process.env.RECADO_TEST_FAILPOINT ?? "");
process.on("message", (text) => {
  if (String(text).startsWith("clock ")) return;
  arm(String(text));
  process.send?.("armed");
});
