import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { type FaultProxy, openFaultProxy } from "../support/fault-proxy.ts";
import { type Installation, openInstallation, until } from "./installation.ts";

/** A doubt is searched for 9 s instead of 15 minutes; a send may take 0.9 s. */
const TIME_SCALE = "0.01";
export const INSTANCE = "faltas";
const NUMBER = "5511940000002";
/** WhatsApp knows numbers of this area code without their ninth digit. */
export const PHONES = 5_531_960_000_000;

export type GatewayWorld = Installation & {
  gateway: Evolution;
  wire: FaultProxy;
};

/** The gateway outlives each kill of the product. Without `databaseUrl` that has its embedded database. */
export async function openGatewayWorld(databaseUrl?: string): Promise<GatewayWorld> {
  // A failed webhook is retried soon, since all times are short here.
  const gateway = await startEvolution({
    timing: { offlineMs: 5, retryMs: 100, retryMaxMs: 1_000, webhookTimeoutMs: 5_000 },
  });
  const wire = await openFaultProxy({ port: Number(new URL(gateway.url).port) });
  const installation = await openInstallation(
    { RECADO_TIME_SCALE: TIME_SCALE, RECADO_PRIVATE_HOSTS: "127.0.0.1" },
    [],
    databaseUrl === undefined ? null : { through: databaseUrl, direct: databaseUrl },
  );
  const world: GatewayWorld = {
    ...installation,
    gateway,
    wire,
    async close() {
      await installation.close();
      await wire.close();
      await gateway.close();
    },
  };
  try {
    await linkInstance(world);
  } catch (error) {
    process.stderr.write(world.product.output().slice(-4_000));
    await world.close();
    throw error;
  }
  return world;
}

async function linkInstance({ call, gateway, wire }: GatewayWorld): Promise<void> {
  const { id } = await call<{ id: number }>("POST", "/api/gateways", {
    name: "",
    url: `http://127.0.0.1:${wire.port}`,
    apiKey: gateway.apiKey,
  });
  await call("POST", `/api/gateways/${id}/instances`, {
    instanceName: INSTANCE,
    token: "chave-da-instancia",
    number: NUMBER,
    webhook: "",
  });
  await until("a QR code", async () => gateway.world.qr(INSTANCE));
  await gateway.world.scan(INSTANCE, { phone: NUMBER });
  await until("a connected instance", async () => {
    const { connections } = await call<{ connections: { state: string }[] }>("GET", "/api/connections");
    return connections.some((one) => one.state === "connected");
  });
}
