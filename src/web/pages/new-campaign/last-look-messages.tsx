import { useId } from "react";
import { formatPhone } from "../../../domain/phone-written.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import { newCampaignText } from "../../messages/new-campaign.ts";
import styles from "./last-look.module.css";
import { Wall } from "./preview.tsx";
import type { CountedAudience } from "./use-audience-count.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import type { Variables } from "./use-variables.ts";

const SHOWN = 3;

type Props = { form: CampaignFormState; audience: CountedAudience; variables: Variables };

/** As they go out. */
export function FirstMessages({ form, audience, variables }: Props) {
  const heading = useId();
  const first = audience.isFresh ? (audience.count?.items ?? []).slice(0, SHOWN) : [];
  return (
    <section className={styles.messages} aria-labelledby={heading}>
      <h3 id={heading}>{t.messages(first.length)}</h3>
      {first.length === 0 && (
        <Wall form={form} name={newCampaignText.previewPerson} texts={variables.textsFor(undefined)} />
      )}
      {first.map(({ phone, name }) => (
        <div key={phone}>
          <p>{t.to(name || formatPhone(phone))}</p>
          <Wall
            form={form}
            name={name}
            texts={variables.textsFor(phone)}
            label={`${t.to(name)} ${formatPhone(phone)}`}
          />
        </div>
      ))}
    </section>
  );
}
