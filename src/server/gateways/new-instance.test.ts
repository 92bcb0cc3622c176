import { expect, test } from "vitest";
import { AppError } from "../../domain/errors.ts";
import type { GatewayInstance } from "../transports/gateway/instance-rows.ts";
import { makeInstance } from "./new-instance.ts";

const wanted = { name: "loja", token: "tok", number: "5511987654321", relayUrl: null };
const webhook = { enabled: true, url: "https://r.example", headers: {}, events: [] };

function holdingGateway(holdMs: number) {
  let heldUntil = 0;
  let refuses = true;
  return {
    createInstance: async () => {
      if (performance.now() < heldUntil) throw new AppError("instance_name_taken");
      if (!refuses) return { id: null, name: "loja", state: "close", token: "tok", qr: null };
      refuses = false;
      heldUntil = performance.now() + holdMs;
      throw new AppError("gateway_failed", { status: 400, message: "Chatwoot is not enabled" });
    },
    fetchInstances: async () => [{ name: "loja", token: "tok" } as GatewayInstance],
  };
}

test("a refusal is reported as one, and an immediate retry does not find the name taken", async () => {
  const client = holdingGateway(60);
  await expect(makeInstance(client, wanted, webhook, 80)).rejects.toMatchObject({ code: "gateway_failed" });
  await makeInstance(client, wanted, webhook, 80);
});
