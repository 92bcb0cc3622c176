import { useState } from "react";
import { type NumberPlan, PLAN_RISKS, type PlanRisk } from "../../../domain/number-plan.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { numberPlanText } from "../../messages/number-plan.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import styles from "./number-page.module.css";
import { errorsOf, type PlanValues, planOf, valuesOf, type WholeField } from "./plan-form.ts";
import { useStorePlan } from "./use-store-plan.ts";

const t = numberPlanText.form;
const risky = numberPlanText.risky;
const WEEK = [0, 1, 2, 3, 4, 5, 6] as const;

type Asked = { plan: NumberPlan | null; risks: PlanRisk[] };
type Props = { id: number; plan: NumberPlan; onClose: () => void };

/** Null: another error. */
function risksIn(error: unknown): PlanRisk[] | null {
  if (!(error instanceof ApiError) || error.code !== "plan_risky") return null;
  const named = error.details.risks;
  return Array.isArray(named) ? PLAN_RISKS.filter((risk) => named.includes(risk)) : [];
}

export function PlanDialog({ id, plan, onClose }: Props) {
  const store = useStorePlan(id);
  const [asked, setAsked] = useState<Asked | null>(null);
  const done = () => {
    onClose();
    toastDone(t.saved);
  };
  const put = async (wanted: NumberPlan | null) => {
    try {
      await store(wanted);
      done();
    } catch (error) {
      const risks = risksIn(error);
      if (risks === null) throw error;
      setAsked({ plan: wanted, risks });
    }
  };
  const form = useWindowForm<PlanValues>(`plan of ${id}`, {
    initial: valuesOf(plan),
    validate: errorsOf,
    submit: (values) => put(planOf(values)),
  });
  return (
    <FormDialog title={t.title} size="mid" form={form} verb={t.save} busyText={t.saving} onClose={onClose}>
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      <PlanFields form={form} />
      <div>
        <Button look="ghost" onClick={() => put(null).catch(form.fail)}>
          {t.drop}
        </Button>
      </div>
      {asked && (
        <ConfirmDialog
          question={risky.question}
          verb={risky.verb}
          busyText={risky.saving}
          back={risky.back}
          failure={risky.failed}
          onConfirm={async () => {
            await store(asked.plan, asked.risks);
            done();
          }}
          onClose={() => setAsked(null)}
        >
          <ul className={styles.risks}>
            {asked.risks.map((risk) => (
              <li key={risk}>{risky.each[risk]}</li>
            ))}
          </ul>
          <p>{risky.text}</p>
        </ConfirmDialog>
      )}
    </FormDialog>
  );
}

type Form = ReturnType<typeof useWindowForm<PlanValues>>;

function PlanFields({ form }: { form: Form }) {
  const { values } = form;
  const whole = (name: WholeField) => (
    <TextInput label={t[name]} inputMode="numeric" autoComplete="off" {...form.text(name)} />
  );
  return (
    <>
      <HoursFields form={form} />
      <fieldset className={styles.group}>
        <legend>{t.budget}</legend>
        <TextInput label={t.since} type="date" hint={t.sinceHint} {...form.text("since")} />
        <div className={styles.three}>
          {whole("rampFrom")}
          {whole("rampTo")}
          {whole("rampDays")}
        </div>
      </fieldset>
      <fieldset className={styles.group}>
        <legend>{t.gaps}</legend>
        <div className={styles.two}>
          {whole("coldLeast")}
          {whole("coldMost")}
          {whole("warmLeast")}
          {whole("warmMost")}
        </div>
        <Checkbox checked={values.rests} onChange={(event) => form.set("rests", event.target.checked)}>
          {t.rests}
        </Checkbox>
        {values.rests && (
          <div className={styles.three}>
            {whole("restAfter")}
            {whole("restLeast")}
            {whole("restMost")}
          </div>
        )}
      </fieldset>
    </>
  );
}

function HoursFields({ form }: { form: Form }) {
  const { values } = form;
  return (
    <fieldset className={styles.group}>
      <legend>{t.hours}</legend>
      {WEEK.map((day) => (
        <div key={day} className={styles.dayRow}>
          <Checkbox
            checked={values[`open${day}`]}
            onChange={(event) => form.set(`open${day}`, event.target.checked)}
          >
            {numberPlanText.hours.weekdays[day]}
          </Checkbox>
          {values[`open${day}`] ? (
            <>
              <TextInput
                label={t.from(numberPlanText.hours.weekdays[day] ?? "")}
                hiddenLabel
                type="time"
                {...form.text(`from${day}`)}
              />
              <TextInput
                label={t.to(numberPlanText.hours.weekdays[day] ?? "")}
                hiddenLabel
                type="time"
                {...form.text(`to${day}`)}
              />
            </>
          ) : (
            <span className={styles.closed}>{numberPlanText.hours.closed}</span>
          )}
        </div>
      ))}
      <Checkbox checked={values.holidays} onChange={(event) => form.set("holidays", event.target.checked)}>
        {t.holidays}
      </Checkbox>
    </fieldset>
  );
}
