// `node --import simulators/whatsapp/preload.ts …` with RECADO_SIMULATOR set to a simulator's control address: the
// only way a running product learns of a simulator. Nothing in the product itself can be set to trust it.
import { adoptSimulator } from "./adopt.ts";
import { connectSimulator } from "./client.ts";

const controlUrl = process.env.RECADO_SIMULATOR;
if (!controlUrl) throw new Error("RECADO_SIMULATOR is not set: it names the control address of a simulator");
adoptSimulator(await connectSimulator(controlUrl).info({}));
// The product refuses unknown settings.
delete process.env.RECADO_SIMULATOR;
