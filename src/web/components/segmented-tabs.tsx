import { Tabs } from "radix-ui";
import type { ReactNode } from "react";

type Tab<V extends string> = { value: V; label: string; content: ReactNode };

type Props<V extends string> = {
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange: (value: V) => void;
};

/** Two views of one thing. What was typed in the other view stays where the caller keeps it. */
export function SegmentedTabs<V extends string>({ label, tabs, value, onChange }: Props<V>) {
  return (
    <Tabs.Root value={value} onValueChange={(next) => onChange(next as V)} className="grid gap-5">
      <Tabs.List className="seg full" aria-label={label}>
        {tabs.map((tab) => (
          <Tabs.Trigger key={tab.value} value={tab.value}>
            {tab.label}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Content key={tab.value} value={tab.value} className="grid gap-5 rounded-md">
          {tab.content}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
