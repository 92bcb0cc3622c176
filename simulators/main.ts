import { parseArgs } from "node:util";
import { startLocalSimulator } from "./whatsapp/local.ts";
import { quietSignal } from "./whatsapp/quiet-signal.ts";

const USAGE =
  "npm run simulator -- [--port 0] [--control-port 0] [--no-decrypt] [--no-content] [--max-sessions 50000]";

const values = commandLine();

quietSignal();
const simulator = await startLocalSimulator({
  port: numberOf("port", 65_535),
  controlPort: numberOf("control-port", 65_535),
  decrypt: !values["no-decrypt"],
  keepContent: !values["no-content"],
  maxSessions: numberOf("max-sessions", Number.MAX_SAFE_INTEGER),
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

function commandLine() {
  if (process.argv.slice(2).includes("--help")) {
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({
      options: {
        port: { type: "string", default: "0" },
        "control-port": { type: "string", default: "0" },
        "no-decrypt": { type: "boolean", default: false },
        "no-content": { type: "boolean", default: false },
        "max-sessions": { type: "string", default: "50000" },
      },
    }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return refuse(error.message);
  }
}

function numberOf(name: "port" | "control-port" | "max-sessions", most: number): number {
  const given = values[name];
  const number = Number(given);
  return /^\d+$/.test(given) && number <= most
    ? number
    : refuse(`--${name} is a whole number, up to ${most}`);
}

function refuse(text: string): never {
  process.stderr.write(`${text}\n${USAGE}\n`);
  process.exit(2);
}
