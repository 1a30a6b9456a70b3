/** Warns whoever is about to print a code that only this computer can open. */
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { isOwnMachine } from '#shared/own-machine.ts';
import styles from './own-machine-note.module.css';

export function OwnMachineNote({ url }: { readonly url: string }) {
  if (!isOwnMachine(url)) return null;
  return (
    <Note>
      This code leads to <bdi>{new URL(url).origin}</bdi>, which only this computer can open. Set PUBLIC_URL
      before you print it.
    </Note>
  );
}

export function Note({ children }: { readonly children: ReactNode }) {
  return (
    <p role="note" className={styles.note}>
      <TriangleAlert aria-hidden />
      <span>{children}</span>
    </p>
  );
}
