import { type Health, system } from "../../contract/system.ts";
import { currentLanguage } from "../base/locale.ts";
import type { RestoreLock } from "../db/restore-lock.ts";
import { ApiDescription } from "./api-description.ts";
import type { App } from "./app.ts";
import { sendAsset } from "./asset.ts";
import { languageCookie } from "./language.ts";
import { mount } from "./mount.ts";
import { operatorToken } from "./operator-token.ts";

export type SystemDeps = {
  health(): Promise<Health>;
  /** RECADO_METRICS_TOKEN; null: no details. */
  token: string | null;
  stopping?(): boolean;
  /** Null unless a restored copy is still locked. */
  hold(): Promise<RestoreLock | null>;
  diskLow(): Promise<boolean>;
  /** No process works: connections and campaigns stand still. */
  idle(): Promise<boolean>;
  version: string;
  sessionCookie: string;
};

/** The description covers everything mounted before its first request. */
export function mountSystem(app: App, deps: SystemDeps): void {
  const { health, token, stopping, hold, diskLow, idle, version, sessionCookie } = deps;
  const description = new ApiDescription(app.endpoints, { version, sessionCookie });
  mountHealth(app, { health, token, stopping });
  mount(app, system.installation, async () => ({
    restored: await hold(),
    diskLow: await diskLow(),
    idle: await idle(),
  }));
  mount(app, system.language, ({ body, headers }) => {
    headers.append("set-cookie", languageCookie(body.language, app.publicOrigin));
  });
  mount(app, system.openapi, async ({ request }) =>
    sendAsset(await description.document(currentLanguage()), request),
  );
  mount(app, system.docs, async ({ request }) =>
    sendAsset(await description.page(currentLanguage()), request),
  );
}

/** For worker-only processes. */
export function mountHealth(
  app: App,
  { health, token, stopping }: Pick<SystemDeps, "health" | "token" | "stopping">,
): void {
  const isOperator = operatorToken(token);
  mount(app, system.live, () => ({ status: "alive" as const }));
  mount(app, system.ready, async () => {
    if (!stopping?.() && (await health()).database.up) return { status: "ready" as const };
    return Response.json({ status: "not_ready" }, { status: 503, headers: { "retry-after": "5" } });
  });
  mount(app, system.health, async ({ request }) => {
    const { status, ...details } = await health();
    // Versions and load help attackers.
    const answer = isOperator(request.headers.get("authorization")) ? { status, ...details } : { status };
    return details.database.up
      ? answer
      : Response.json(answer, { status: 503, headers: { "retry-after": "5" } });
  });
}
