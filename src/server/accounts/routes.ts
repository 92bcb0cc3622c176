import { accounts } from "../../contract/accounts.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { EmailConfirmations } from "./email-confirmation.ts";
import type { PasswordResets } from "./reset.ts";
import type { AccountService, SignedIn } from "./service.ts";

export function mountAccounts(app: App, service: AccountService): void {
  mount(app, accounts.signUp, async ({ body, address, request, headers }) =>
    signedIn(await service.signUp(body, { address, headers: request.headers }), headers),
  );
  mount(app, accounts.signupPolicy, () => service.signupPolicy());
  mount(app, accounts.lookAtInvitation, ({ body }) => service.lookAtInvitation(body.token));
  mount(app, accounts.login, async ({ body, address, request, headers }) =>
    signedIn(await service.login(body, { address, headers: request.headers }), headers),
  );
  mount(app, accounts.logout, async ({ request, headers }) => {
    headers.append("set-cookie", await service.logout(request.headers));
    // For the next person. Not "cookies": that would sign out the whole domain.
    headers.set("clear-site-data", '"storage"');
  });
  mount(app, accounts.me, ({ owner }) => service.me(owner));
  mount(app, accounts.terms, () => service.terms());
}

export function mountResets(app: App, resets: PasswordResets): void {
  mount(app, accounts.resetMeans, async () => ({ byMail: await resets.byMail() }));
  mount(app, accounts.askReset, ({ body, address }) => resets.ask(body.email, address));
  mount(app, accounts.lookAtReset, ({ body }) => resets.look(body.token));
  mount(app, accounts.useReset, async ({ body, request, headers }) => {
    const { changed, browserCookie } = await resets.use(body, request.headers);
    headers.append("set-cookie", browserCookie);
    return changed;
  });
}

export function mountConfirmations(
  app: App,
  { accounts: service, confirmations }: { accounts: AccountService; confirmations: EmailConfirmations },
): void {
  mount(app, accounts.confirmAgain, async ({ owner }) => {
    await confirmations.again(owner);
    return service.me(owner);
  });
  mount(app, accounts.lookAtConfirmation, ({ body }) => confirmations.look(body.token));
  mount(app, accounts.confirmEmail, ({ body }) => confirmations.use(body.token));
}

function signedIn({ me, setCookie, browserCookie }: SignedIn, headers: Headers): SignedIn["me"] {
  headers.append("set-cookie", setCookie);
  if (browserCookie) headers.append("set-cookie", browserCookie);
  return me;
}
