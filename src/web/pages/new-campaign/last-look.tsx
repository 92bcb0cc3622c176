import { clsx } from "clsx";
import type { MouseEvent } from "react";
import type { Known } from "../../library/use-known.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import { newCampaignText } from "../../messages/new-campaign.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import layoutStyles from "../../ui/layout.module.css";
import styles from "./last-look.module.css";
import { LastLookFacts } from "./last-look-facts.tsx";
import { FirstMessages } from "./last-look-messages.tsx";
import type { CountedAudience } from "./use-audience-count.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { useConfirmedPlaceholders, useTypedTotal } from "./use-confirmed.tsx";
import type { Variables } from "./use-variables.ts";

type Props = {
  form: CampaignFormState;
  audience: CountedAudience;
  used: readonly Known[];
  variables: Variables;
  uncounted: boolean;
  onEnd: (goOn: boolean) => void;
};

/** Final confirmation before sending. Focus starts on «Voltar». */
export function LastLook({ form, audience, used, variables, uncounted, onEnd }: Props) {
  const placeholders = useConfirmedPlaceholders(form.values);
  const people = audience.isFresh && !uncounted ? (audience.count?.gets ?? null) : null;
  const total = useTypedTotal(people);
  const scheduled = form.values.when === "at";
  const create = () => {
    if (placeholders.check() && total.check()) onEnd(true);
  };
  // The second press of a double click on «Criar Campanha» lands here on phones: ignore it.
  const press = ({ detail: presses }: MouseEvent) => {
    if (presses <= 1) create();
  };
  return (
    <Dialog
      title={scheduled ? t.titleScheduled : t.title}
      context={form.values.name}
      size="wide"
      role="alertdialog"
      onClose={() => onEnd(false)}
      foot={
        <>
          {total.field}
          <Button onClick={() => onEnd(false)}>{t.back}</Button>
          <Button look="primary" onClick={press}>
            {scheduled ? t.schedule : newCampaignText.create}
          </Button>
        </>
      }
    >
      <div className={styles.lastLook}>
        <div className={clsx(layoutStyles.stack5, styles.column)}>
          <LastLookFacts form={form} audience={audience} used={used} people={people} uncounted={uncounted} />
          {placeholders.box}
        </div>
        <FirstMessages form={form} audience={audience} variables={variables} />
      </div>
    </Dialog>
  );
}
