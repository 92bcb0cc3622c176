import { parseArgs } from "node:util";
import { controlOf } from "./control.ts";
import { serveControl } from "./control-server.ts";
import { quietSignal } from "./quiet-signal.ts";
import { startSimulator } from "./simulator.ts";

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
const simulator = await startSimulator({
  port: Number(values.port),
  decrypt: !values["no-decrypt"],
  keepContent: !values["no-content"],
  maxSessions: Number(values["max-sessions"]),
});
const server = await serveControl(
  controlOf(simulator, () => setImmediate(stop)),
  Number(values["control-port"]),
);

async function stop(): Promise<void> {
  await simulator.stop();
  await server.stop();
  process.exit(0);
}
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

const { url, noiseRoot, mediaCa, mediaHost } = simulator.address;
const address = { url, controlUrl: server.url, noiseRoot, mediaCa, mediaHost };
process.stdout.write(`${JSON.stringify(address)}\n`);
process.stdout.write(`Simulator at ${url}; control it at ${server.url} (RECADO_SIMULATOR)\n`);
