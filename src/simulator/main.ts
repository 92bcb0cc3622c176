import { parseArgs } from "node:util";
import { startLocalSimulator } from "./local.ts";
import { quietSignal } from "./quiet-signal.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    "control-port": { type: "string", default: "0" },
    /** Do not open messages: frames are counted and shown without their text. */
    "no-decrypt": { type: "boolean", default: false },
    /** Keep ids and counts of messages, not their texts and images. */
    "no-content": { type: "boolean", default: false },
    "max-sessions": { type: "string", default: "50000" },
  },
});

quietSignal();
const simulator = await startLocalSimulator({
  port: Number(values.port),
  controlPort: Number(values["control-port"]),
  decrypt: !values["no-decrypt"],
  keepContent: !values["no-content"],
  maxSessions: Number(values["max-sessions"]),
  onShutdown: () => setImmediate(stop),
});

async function stop(): Promise<void> {
  await simulator.stop();
  process.exit(0);
}
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

const { address, controlUrl } = simulator;
process.stdout.write(`${JSON.stringify({ ...address, controlUrl })}\n`);
process.stdout.write(`Simulator at ${address.url}; control it at ${controlUrl} (RECADO_SIMULATOR)\n`);
