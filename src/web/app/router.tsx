import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { ApiError } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { followLanguage } from "../api/language.ts";
import { queriesOf } from "../api/query-client.ts";
import type { Session } from "../api/session.ts";
import { ownPath } from "../lib/own-path.ts";
import { calendarAddress, campaignsAddress, rowId } from "../routes/campaigns.ts";
import { chatAddress } from "../routes/chat.ts";
import { contactsAddress } from "../routes/contacts.ts";
import { dashboardAddress } from "../routes/dashboard.ts";
import { instancesAddress } from "../routes/instances.ts";
import { libraryAddress } from "../routes/library.ts";
import { peopleAddress } from "../routes/people.ts";
import { settingsAddress } from "../routes/settings.ts";
import { NotFound } from "../shell/not-found.tsx";
import { RouteError } from "../shell/route-error.tsx";
import {
  loadAgents,
  loadCalendar,
  loadCampaigns,
  loadChat,
  loadContacts,
  loadDashboard,
  loadInstances,
  loadLibrary,
  loadNewCampaign,
  loadNumber,
  loadPeople,
  loadPerson,
  loadShell,
} from "./loaders.ts";

type Context = { session: Session };
/** `ended`: session; `removed`: account; `senha`: new password set. */
type LoginAddress = {
  redirect?: string | undefined;
  ended?: true | undefined;
  removed?: true | undefined;
  senha?: true | undefined;
};
type FormAddress = {
  reutilizar?: number | undefined;
  rascunho?: number | undefined;
  teste?: true | undefined;
  lista?: number | undefined;
};

/**
 * The router reloads after a failed import, as for a new version. Offline that would lose input to the
 * browser's error page: the server is asked first.
 */
function lazyScreen<M extends Record<string, unknown>, N extends keyof M>(
  fetchIt: () => Promise<M>,
  name: N,
) {
  const fetched = () =>
    fetchIt().catch(async (error: unknown) => {
      await api("GET /api/health/live");
      throw error;
    });
  return lazyRouteComponent(fetched, name);
}

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: RouteError,
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search): LoginAddress => ({
    redirect: ownPath(search.redirect),
    ended: search.ended === true || undefined,
    removed: search.removed === true || undefined,
    senha: search.senha === true || undefined,
  }),
  component: lazyScreen(() => import("../pages/login/login-page.tsx"), "LoginPage"),
});

const signup = createRoute({
  getParentRoute: () => root,
  path: "/signup",
  component: lazyScreen(() => import("../pages/signup/signup-page.tsx"), "SignupPage"),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/esqueci-a-senha",
  validateSearch: (search): { redirect?: string | undefined } => ({ redirect: ownPath(search.redirect) }),
  component: lazyScreen(() => import("../pages/reset/forgot-password-page.tsx"), "ForgotPasswordPage"),
});

/** The token behind `#` never reaches a server. */
const newPassword = createRoute({
  getParentRoute: () => root,
  path: "/nova-senha",
  component: lazyScreen(() => import("../pages/reset/new-password-page.tsx"), "NewPasswordPage"),
});

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: "/confirmar-email",
  component: lazyScreen(() => import("../pages/reset/confirm-email-page.tsx"), "ConfirmEmailPage"),
});

const terms = createRoute({
  getParentRoute: () => root,
  path: "/termos",
  component: lazyScreen(() => import("../pages/terms/terms-page.tsx"), "TermsPage"),
});

const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: "/descadastrar/$token",
  component: lazyScreen(() => import("../pages/unsubscribe/unsubscribe-page.tsx"), "UnsubscribePage"),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    try {
      const me = await context.session.load();
      await followLanguage(me, location.href);
      return { me, queries: queriesOf(me.id) };
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      const search = location.href === "/" ? {} : { redirect: location.href };
      throw redirect({ to: "/login", search });
    }
  },
  loader: ({ context }) => loadShell(context.queries),
  component: lazyScreen(() => import("../shell/shell.tsx"), "Shell"),
});

const dashboard = createRoute({
  getParentRoute: () => shell,
  path: "/",
  validateSearch: dashboardAddress,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => loadDashboard(context.queries, deps),
  component: lazyScreen(() => import("../pages/dashboard/dashboard-page.tsx"), "DashboardPage"),
});

const campaigns = createRoute({
  getParentRoute: () => shell,
  path: "/campaigns",
  validateSearch: campaignsAddress,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => loadCampaigns(context.queries, deps),
  component: lazyScreen(() => import("../pages/campaigns/campaigns-page.tsx"), "CampaignsPage"),
});

const calendar = createRoute({
  getParentRoute: () => shell,
  path: "/campaigns/calendar",
  validateSearch: calendarAddress,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: { mes } }) =>
    mes === undefined ? undefined : loadCalendar(context.queries, mes),
  component: lazyScreen(() => import("../pages/campaigns/calendar/calendar-page.tsx"), "CalendarPage"),
});

const newCampaign = createRoute({
  getParentRoute: () => shell,
  path: "/campaigns/new",
  // `reutilizar`: copies a campaign; `rascunho`: edits a draft or scheduled one; `teste`: opens the test;
  // `lista`: preselects a list.
  validateSearch: (search): FormAddress => ({
    reutilizar: rowId(search.reutilizar),
    rascunho: rowId(search.rascunho),
    teste: search.teste === true || undefined,
    lista: rowId(search.lista),
  }),
  loader: ({ context }) => loadNewCampaign(context.queries),
  component: lazyScreen(() => import("../pages/new-campaign/new-campaign-page.tsx"), "NewCampaignPage"),
});

const contacts = createRoute({
  getParentRoute: () => shell,
  path: "/contacts",
  validateSearch: contactsAddress,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => loadContacts(context.queries, deps),
  component: lazyScreen(() => import("../pages/contacts/contacts-page.tsx"), "ContactsPage"),
});

const people = createRoute({
  getParentRoute: () => shell,
  path: "/contacts/pessoas",
  validateSearch: peopleAddress,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => loadPeople(context.queries, deps),
  component: lazyScreen(() => import("../pages/people/people-page.tsx"), "PeoplePage"),
});

const person = createRoute({
  getParentRoute: () => shell,
  path: "/contacts/pessoas/$personId",
  loader: ({ context, params }) => loadPerson(context.queries, rowId(Number(params.personId))),
  component: lazyScreen(() => import("../pages/people/person-page.tsx"), "PersonPage"),
});

const baileys = createRoute({
  getParentRoute: () => shell,
  path: "/baileys",
  component: lazyScreen(() => import("../pages/connect/connect-page.tsx"), "ConnectPage"),
});

const connect = createRoute({
  getParentRoute: () => shell,
  path: "/whatsapp/connect",
  component: lazyScreen(() => import("../pages/connect/connect-page.tsx"), "ConnectPage"),
});

const connections = createRoute({
  getParentRoute: () => shell,
  path: "/whatsapp/connections",
  component: lazyScreen(() => import("../pages/connections/connections-page.tsx"), "ConnectionsPage"),
});

const number = createRoute({
  getParentRoute: () => shell,
  path: "/whatsapp/connections/$connectionId",
  loader: ({ context, params }) => loadNumber(context.queries, rowId(Number(params.connectionId))),
  component: lazyScreen(() => import("../pages/number/number-page.tsx"), "NumberPage"),
});

const chat = createRoute({
  getParentRoute: () => shell,
  path: "/chat",
  validateSearch: chatAddress,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => loadChat(context.queries, deps),
  component: lazyScreen(() => import("../pages/chat/chat-page.tsx"), "ChatPage"),
});

const library = createRoute({
  getParentRoute: () => shell,
  path: "/mensagens",
  validateSearch: libraryAddress,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => loadLibrary(context.queries, deps),
  component: lazyScreen(() => import("../pages/library/library-page.tsx"), "LibraryPage"),
});

const instances = createRoute({
  getParentRoute: () => shell,
  path: "/instances",
  validateSearch: instancesAddress,
  loader: ({ context }) => loadInstances(context.queries),
  component: lazyScreen(() => import("../pages/instances/instances-page.tsx"), "InstancesPage"),
});

const chatbot = createRoute({
  getParentRoute: () => shell,
  path: "/chatbot",
  loader: ({ context }) => loadAgents(context.queries),
  component: lazyScreen(() => import("../pages/agents/agents-page.tsx"), "AgentsPage"),
});

const agent = createRoute({
  getParentRoute: () => shell,
  path: "/chatbot/$agentId",
  component: lazyScreen(() => import("../pages/agents/agent-page.tsx"), "AgentPage"),
});

const newAgent = createRoute({
  getParentRoute: () => shell,
  path: "/criar-robo",
  component: lazyScreen(() => import("../pages/agents/new-agent-page.tsx"), "NewAgentPage"),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  validateSearch: settingsAddress,
  component: lazyScreen(() => import("../pages/settings/settings-page.tsx"), "SettingsPage"),
});

const routeTree = root.addChildren([
  login,
  signup,
  forgotPassword,
  newPassword,
  confirmEmail,
  terms,
  unsubscribe,
  shell.addChildren([
    dashboard,
    campaigns,
    calendar,
    newCampaign,
    contacts,
    people,
    person,
    baileys,
    connect,
    connections,
    number,
    chat,
    library,
    instances,
    chatbot,
    agent,
    newAgent,
    settings,
  ]),
]);

export function makeRouter(session: Session) {
  return createRouter({
    routeTree,
    context: { session },
    // Replaces the screen only, not the shell.
    defaultErrorComponent: RouteError,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    // Otherwise parameters refused by `validateSearch` reach the screen raw.
    search: { strict: true },
    defaultPendingMs: 400,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
