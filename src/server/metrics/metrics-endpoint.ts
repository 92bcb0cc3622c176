import { AppError } from "../../domain/errors.ts";
import type { App } from "../http/app.ts";
import { operatorToken } from "../http/operator-token.ts";

/** What answers a scrape, and the token that opens it. */
export type MetricsDoor = { token: string; text(): Promise<string>; contentType: string };

/** `GET /metrics` for Prometheus: `Authorization: Bearer` with the operator's token. Without a token there is no such address. */
export function mountMetrics(app: App, door: MetricsDoor | null): void {
  const isOperator = operatorToken(door?.token ?? null);
  app.hono.get("/metrics", async (c) => {
    if (!door) throw new AppError("not_found");
    if (!isOperator(c.req.header("authorization"))) throw new AppError("unauthenticated");
    return new Response(await door.text(), {
      headers: { "content-type": door.contentType, "cache-control": "no-store" },
    });
  });
}
