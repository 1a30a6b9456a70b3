/** A button to the login. It is a form without fields, so that it works before the script has come. */
import type { ComponentProps, SubmitEvent } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import styles from './entrance.module.css';

export function Entrance(button: Omit<ComponentProps<typeof Button>, 'type' | 'onClick'>) {
  function enter(event: SubmitEvent) {
    event.preventDefault();
    navigate(paths.auth);
  }
  return (
    <form action={paths.auth} onSubmit={enter} className={styles.entrance}>
      <Button type="submit" {...button} />
    </form>
  );
}
