import { AppError } from "../../domain/errors.ts";
import type { App } from "../http/app.ts";
import { operatorToken } from "../http/operator-token.ts";

export type MetricsDoor = { token: string; text(): Promise<string>; contentType: string };

/** Prometheus `GET /metrics` with `Authorization: Bearer`; not mounted without a token. */
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
