import { LogOut, type LucideIcon, Menu, Search } from "lucide-react";
import { renderToStaticMarkup } from "react-dom/server";
import { AuthSide } from "../auth/auth-side.tsx";
import { accountsText } from "../messages/accounts.ts";
import { agentsText } from "../messages/agents.ts";
import { campaignsText } from "../messages/campaigns.ts";
import { commonText } from "../messages/common.ts";
import { connectText } from "../messages/connect.ts";
import { connectionsText } from "../messages/connections.ts";
import { contactsText } from "../messages/contacts.ts";
import { dashboardText } from "../messages/dashboard.ts";
import { instancesText } from "../messages/instances.ts";
import { settingsText } from "../messages/settings.ts";
import { shellText } from "../messages/shell.ts";
import { MORE, PLACES } from "../shell/places.ts";
import { Mark } from "../ui/brand.tsx";
import { Icon } from "../ui/icon.tsx";

/** Known without data. `fact`: the line below the title; absent if it needs a request. */
type Heading = { title: string; fact?: string };

const { page: connect } = connectText;
const { list } = connectionsText;

/** By router path. Missing screens (chat, draft, agent) have no heading known from the address. */
const HEADINGS: Record<string, Heading> = {
  "/": { title: dashboardText.title },
  "/campaigns": { title: campaignsText.title },
  "/contacts": { title: contactsText.title },
  "/baileys": { title: connect.title, fact: connect.fact },
  "/whatsapp/connect": { title: connect.title, fact: connect.fact },
  "/whatsapp/connections": { title: list.title },
  "/instances": { title: instancesText.title },
  "/chatbot": { title: agentsText.title },
  "/criar-robo": { title: agentsText.form.title, fact: agentsText.form.fact },
  "/settings": { title: settingsText.title },
};

/** Signed-out screens. Those behind e-mail links depend on server and link. */
const DOORS: Record<string, Required<Heading> | "not known"> = {
  "/login": { title: accountsText.login.welcome, fact: accountsText.login.lead },
  "/signup": { title: accountsText.signup.title, fact: accountsText.signup.lead },
  "/esqueci-a-senha": "not known",
  "/nova-senha": "not known",
  "/confirmar-email": "not known",
};

const HERE = "";

const BESIDE: Record<string, string> = { "/whatsapp/connect": "/baileys", "/criar-robo": "/chatbot" };

/**
 * HTML until the script runs: frame and heading, without controls, whose input would be lost. Built by
 * scripts/first-files-plugin.ts; empty for unknown screens.
 */
export function firstPaint(path: string, framed: boolean): string {
  const door = DOORS[path];
  if (!framed && !door) return "";
  return renderToStaticMarkup(
    <div id="ahead" className="ahead">
      <div aria-hidden="true" inert>
        {door ? <Door heading={door === "not known" ? null : door} /> : <Frame path={path} />}
      </div>
      <p className="late" role="status">
        {shellText.late}{" "}
        <a href={HERE} className="link">
          {shellText.reload}
        </a>
      </p>
    </div>,
  );
}

function Frame({ path }: { path: string }) {
  const heading = HEADINGS[path];
  return (
    <div className="app">
      <div className="sidebar">
        <Brand />
        <div className="quick">
          <Icon of={Search} sm />
          {shellText.search}
        </div>
        <div className="nav">
          <Places places={PLACES} path={path} />
        </div>
        <div className="nav">
          <p className="nav-head">{shellText.more}</p>
          <Places places={MORE} path={path} />
        </div>
        <div className="nav end">
          <button type="button">
            <Icon of={LogOut} />
            {shellText.logout}
          </button>
        </div>
      </div>
      <div className="min-w-0">
        <div className="topbar">
          <span className="btn ghost only-icon menu-open">
            <Icon of={Menu} />
          </span>
          <Brand />
        </div>
        {heading && (
          <div className="page">
            <div className="page-head">
              <div>
                <h1>{heading.title}</h1>
                <p>{heading.fact ?? "\u00a0"}</p>
              </div>
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

type Place = { to: string; label: string; icon: LucideIcon };

function Places({ places, path }: { places: readonly Place[]; path: string }) {
  return places.map(({ to, label, icon }) => (
    <a key={to} href={to} aria-current={isAt(path, to) ? "page" : undefined}>
      <Icon of={icon} />
      {label}
    </a>
  ));
}

function isAt(path: string, to: string): boolean {
  const at = BESIDE[path] ?? path;
  return at === to || (to !== "/" && at.startsWith(`${to}/`));
}

function Door({ heading }: { heading: Required<Heading> | null }) {
  return (
    <div className="auth">
      <div className="auth-form">
        <Brand />
        {heading && (
          <div className="auth-column">
            <div>
              <h1>{heading.title}</h1>
              <p className="lead">{heading.fact}</p>
            </div>
          </div>
        )}
      </div>
      <AuthSide />
    </div>
  );
}

function Brand() {
  return (
    <span className="brand">
      <Mark />
      {commonText.product}
    </span>
  );
}
