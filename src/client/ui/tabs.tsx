/**
 * Tabs that work with keyboards and screen readers, in the product's style: arrow keys move the focus, and Enter, Space or a tap opens
 * a tab (WAI-ARIA Authoring Practices, "Tabs with manual activation").
 */
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import styles from './tabs.module.css';

interface TabsProps<Value extends string> {
  /** The accessible name of the tabs. */
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly tabs: readonly { readonly value: Value; readonly label: string; readonly panel: ReactNode }[];
}

export function Tabs<Value extends string>({ label, value, onChange, tabs }: TabsProps<Value>) {
  const id = useId();
  const panel = tabs.find((tab) => tab.value === value)?.panel;
  return (
    <div className={styles.tabs}>
      <div role="tablist" aria-label={label} className={styles.list} onKeyDown={moveFocus}>
        {tabs.map((tab) => {
          const isOpen = tab.value === value;
          return (
            <button
              key={tab.value}
              type="button"
              role="tab"
              id={`${id}-${tab.value}`}
              aria-selected={isOpen}
              aria-controls={isOpen ? `${id}-panel` : undefined}
              // The Tab key leads to the open tab only, and from there to its panel.
              tabIndex={isOpen ? 0 : -1}
              className={styles.tab}
              onClick={isOpen ? undefined : () => onChange(tab.value)}
            >
              {tab.label}
            </button>
          );
        })}
      </div>
      {/* The key makes every tab draw a panel of its own. */}
      <div
        key={value}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${value}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel may hold nothing that takes the focus, and must be in reach of the keyboard all the same
        tabIndex={0}
        className={styles.panel}
      >
        {panel}
      </div>
    </div>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll('button')];
  const present = tabs.findIndex((tab) => tab.matches(':focus'));
  const next = new Map([
    ['ArrowRight', (present + 1) % tabs.length],
    ['ArrowLeft', (present - 1 + tabs.length) % tabs.length],
    ['Home', 0],
    ['End', tabs.length - 1],
  ]).get(event.key);
  if (next === undefined) return;
  event.preventDefault();
  tabs[next]?.focus();
}
