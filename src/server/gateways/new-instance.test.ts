import { expect, test } from "vitest";
import { AppError } from "../../domain/errors.ts";
import type { GatewayInstance } from "../transports/gateway/shapes.ts";
import { makeInstance } from "./new-instance.ts";

const wanted = { name: "loja", token: "tok", number: "5511987654321", relayUrl: null };
const webhook = { enabled: true, url: "https://r.example", headers: {}, events: [] };

/** A gateway that saves the row before it refuses, and holds the name for a while (recording 07a). */
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
    // The row that is about to be removed has our token.
    fetchInstances: async () => [{ name: "loja", token: "tok" } as GatewayInstance],
  };
}

test("a refusal is one, whatever the gateway lists meanwhile; whoever tries again at once is not told that the name is taken", async () => {
  const client = holdingGateway(60);
  await expect(makeInstance(client, wanted, webhook, 80)).rejects.toMatchObject({ code: "gateway_failed" });
  await makeInstance(client, wanted, webhook, 80);
});
