// Preloaded in fault runs: kills the process, as kill -9 does, the nth time a send reaches the step.
// RECADO_TEST_FAILPOINT=bytes_written:3
import { type Failpoint, setFailpoint } from "../../src/server/base/failpoint.ts";

const [step, nth = "1"] = (process.env.RECADO_TEST_FAILPOINT ?? "").split(":");
let left = Number(nth);

if (step) {
  setFailpoint((name: Failpoint) => {
    if (name !== step) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  });
}
