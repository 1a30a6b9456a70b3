/** The menus of a row: what can be done about a received tip, and where a sent one leads. */
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { paths } from '../../paths.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { useTipActions } from '../messages/tip-actions.tsx';
import styles from './tip-menu.module.css';

interface TipMenuProps {
  readonly tip: Transaction;
  readonly onClose: () => void;
}

interface ReceivedTipMenuProps extends TipMenuProps {
  readonly onRefund: () => void;
}

export function ReceivedTipMenu({ tip, onRefund, onClose }: ReceivedTipMenuProps) {
  const [isOpen, setOpen] = useState(true);
  const actions = useTipActions(tip, {
    onDone(sentence) {
      toastSuccess(sentence, 'about-tip');
      onClose();
    },
    onFailure(sentence) {
      toastError(sentence);
      onClose();
    },
  });
  const closeAndRun = (run: () => void) => (item: Element) => {
    const opener = openerOf(item);
    flushSync(() => setOpen(false));
    opener?.focus();
    run();
  };
  if (!isOpen) return null;
  return (
    <Menu onClose={onClose}>
      {actions.map(({ name, label, hint, run }) => (
        <Item key={name} onPress={closeAndRun(run)}>
          {label} {hint && <small className={styles.hint}>{hint}</small>}
        </Item>
      ))}
      <Receipt tip={tip} onClose={onClose} />
      {/* It stands last, because hardly anybody means it. */}
      {isKept(tip) && (
        <Item
          onPress={closeAndRun(() => {
            onClose();
            onRefund();
          })}
        >
          Refund...
        </Item>
      )}
    </Menu>
  );
}

export function SentTipMenu({ tip, onClose }: TipMenuProps) {
  return (
    <Menu onClose={onClose}>
      <Link role="menuitem" tabIndex={-1} href={paths.tip(tip.qrCodeId)} onClick={onClose}>
        Tip Again
      </Link>
      <Receipt tip={tip} onClose={onClose} />
    </Menu>
  );
}

interface ItemProps {
  readonly onPress: (item: Element) => void;
  readonly children: ReactNode;
}

function Item({ onPress, children }: ItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      onClick={({ currentTarget }) => onPress(currentTarget)}
    >
      {children}
    </button>
  );
}

/** The links close the menu, because browsers show a page again as it was left. */
function Receipt({ tip, onClose }: TipMenuProps) {
  return (
    <Link role="menuitem" tabIndex={-1} href={paths.transaction(tip.id)} onClick={onClose}>
      View Receipt
    </Link>
  );
}

interface MenuProps {
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The pattern "menu button" of the ARIA Authoring Practices. The button that opens it stands before it. */
function Menu({ onClose, children }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const close = useEffectEvent(onClose);

  useEffect(() => {
    menu.current?.scrollIntoView({ block: 'nearest' });
    itemsOf(menu.current)[0]?.focus();
    function leave({ target }: PointerEvent) {
      // The button closes it by itself.
      if (target instanceof Node && !menu.current?.parentElement?.contains(target)) close();
    }
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, []);

  function press(event: KeyboardEvent) {
    const items = itemsOf(menu.current);
    const focused = document.activeElement;
    const at = focused instanceof HTMLElement ? items.indexOf(focused) : -1;
    const places: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: items.length - 1,
    };
    const place = places[event.key];
    if (place !== undefined) items.at(place % items.length)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') {
      openerOf(menu.current)?.focus();
      onClose();
    } else return;
    // From its button, Tab goes on as if the menu had not been there.
    if (event.key !== 'Tab') event.preventDefault();
  }

  return (
    <div ref={menu} role="menu" aria-label="More about this tip" className={styles.menu} onKeyDown={press}>
      {children}
    </div>
  );
}

function itemsOf(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
}

function openerOf(element: Element | null): HTMLElement | null {
  return (
    element?.closest('[role="menu"]')?.parentElement?.querySelector<HTMLElement>('[aria-haspopup]') ?? null
  );
}
