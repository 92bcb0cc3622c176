import { afterEach } from "vitest";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { type Posted, startReceiver } from "./webhook-receiver.ts";

type Options = Parameters<typeof startEvolution>[0];

export function gatewayLab() {
  const lab = {} as Evolution & { receiver: Awaited<ReturnType<typeof startReceiver>> };
  const running: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
  });

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(lab.url + path, {
      method,
      headers: { apikey: lab.apiKey, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  return Object.assign(lab, {
    async start(options: Options = {}, answer?: (posted: Posted) => number | undefined) {
      const receiver = await startReceiver(answer);
      const gateway = await startEvolution(options);
      running.push(gateway, receiver);
      Object.assign(lab, gateway, { receiver });
      return gateway.world;
    },
    call,
    webhook: (changes: object = {}) => ({
      enabled: true,
      url: `${lab.receiver.url}/hook`,
      headers: { authorization: "Bearer abc" },
      byEvents: false,
      base64: true,
      events: [] as string[],
      ...changes,
    }),
    openChannel(name: string, webhook?: object) {
      const body = {
        instanceName: name,
        token: `tok-${name}`,
        number: "5511999990002",
        integration: "EVOLUTION",
      };
      return call("POST", "/instance/create", { ...body, webhook });
    },
    async openLinked(name: string, webhook?: object, settings: object = {}) {
      const body = {
        instanceName: name,
        token: `tok-${name}`,
        qrcode: true,
        integration: "WHATSAPP-BAILEYS",
      };
      await call("POST", "/instance/create", { ...body, ...settings, webhook });
      await lab.world.scan(name, { phone: "5511900000001" });
    },
    sendText: (name: string, text: string, number = "5511988887777", more: object = {}) =>
      call("POST", `/message/sendText/${name}`, { number, text, ...more }),
  });
}
