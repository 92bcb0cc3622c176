import { LinkButton } from "../../components/link-button.tsx";
import { dashboardText } from "../../messages/dashboard.ts";

const t = dashboardText.start;

/** In place of empty charts: what a new account does first. */
export function FirstSteps() {
  return (
    <section className="card first-steps">
      <header>
        <h2 className="card-title">{t.title}</h2>
        <p className="dash-aside">{t.text}</p>
      </header>
      <ol className="start-steps">
        <li>
          <h3>{t.connect}</h3>
          <p>{t.connectText}</p>
          <LinkButton small look="primary" to="/baileys">
            {t.connectAction}
          </LinkButton>
        </li>
        <li>
          <h3>{t.contacts}</h3>
          <p>{t.contactsText}</p>
          <LinkButton small to="/contacts">
            {t.contactsAction}
          </LinkButton>
        </li>
        <li>
          <h3>{t.campaign}</h3>
          <p>{t.campaignText}</p>
          <LinkButton small to="/campaigns/new">
            {t.campaignAction}
          </LinkButton>
        </li>
      </ol>
    </section>
  );
}
