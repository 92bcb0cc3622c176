import "../../../src/web/styles/styles.css";
import "../../../src/web/ui/styles.ts";
import "../../../src/web/shell/shell.module.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { render } from "vitest-browser-react/pure";
import { queriesOf } from "../../../src/web/api/query-client.ts";
import { makeSession } from "../../../src/web/api/session.ts";
import { whenSessionEnds } from "../../../src/web/api/session-end.ts";
import { makeRouter } from "../../../src/web/app/router.tsx";
import { dismissToasts } from "../../../src/web/ui/toast.tsx";
import { passCopies } from "../../../src/web/ui/use-close-on-back.ts";
import { currentServer, type FakeServer, fakeServer } from "./fake-server.ts";

let rendered: { end: () => Promise<void> } | null = null;

/** Ended after the test. */
export async function renderApp(address: string, options: { server?: FakeServer } = {}) {
  await endRendered();
  history.pushState(null, "", address);
  return reloadApp(options);
}

export async function reloadApp(options: { server?: FakeServer } = {}) {
  const server = options.server ?? currentServer() ?? fakeServer();
  await endRendered();
  const session = makeSession(() => void router.invalidate());
  const router = makeRouter(session);
  passCopies(router.history);
  const stop = whenSessionEnds(() => {
    if (!session.forget()) return;
    const search = { redirect: router.state.location.href, ended: true } as const;
    void router.navigate({ to: "/login", search, replace: true });
  });
  const queries = withoutDelays(server);
  const { unmount } = await render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  );
  rendered = {
    end: async () => {
      stop();
      await unmount();
      session.forget();
      router.history.destroy();
    },
  };
  return { server, router, session, queries, end: endRendered };
}

export async function renderAlone(element: ReactNode, options: { server?: FakeServer } = {}) {
  const server = options.server ?? currentServer() ?? fakeServer();
  await endRendered();
  const queries = withoutDelays(server);
  const { unmount, rerender } = await render(
    <QueryClientProvider client={queries}>{element}</QueryClientProvider>,
  );
  rendered = { end: unmount };
  return { server, queries, rerender, end: endRendered };
}

export async function endRendered(): Promise<void> {
  const ended = rendered;
  rendered = null;
  await ended?.end();
  // A toaster that comes later would show them again.
  dismissToasts();
}

/** A lost request is repeated at once: tests need not wait for it. */
function withoutDelays({ world }: FakeServer) {
  const queries = queriesOf(world.me?.id ?? "");
  const { queries: defaults, ...rest } = queries.getDefaultOptions();
  queries.setDefaultOptions({ ...rest, queries: { ...defaults, retryDelay: 0 } });
  return queries;
}
