/**
 * The screen of an unknown code, which can be typed again. It leads somebody who is logged in to the dashboard after a moment, unless they act
 * first.
 */
import { useEffect, useRef, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { CODE_FORM_PATH } from '#shared/page-paths.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { CodeField } from '../ui/later/code-field.tsx';
import { Screen } from '../ui/screen.tsx';
import styles from './code-not-found.module.css';

const REDIRECT_AFTER_MS = 4_000;
/** What keeps somebody on the screen. */
const ACTS = ['pointerdown', 'keydown', 'input'] as const;

export interface CodeNotFoundProps {
  readonly typed: string;
  readonly isSignedIn: boolean;
}

export function CodeNotFound({ typed, isSignedIn }: CodeNotFoundProps) {
  const field = useRef<HTMLInputElement>(null);
  const [hasActed, setActed] = useState(false);
  useEffect(() => {
    // The page is rendered once for all unknown codes, so that the field gets its text here, unless somebody was faster.
    if (field.current?.value === '') field.current.value = typed;
    else if (field.current?.value !== typed) setActed(true);
  }, [typed]);
  const isLeaving = isSignedIn && !hasActed;
  useEffect(() => {
    if (!isLeaving) return;
    const timer = setTimeout(() => navigate(paths.dashboard), REDIRECT_AFTER_MS);
    const stay = () => setActed(true);
    for (const act of ACTS) window.addEventListener(act, stay);
    return () => {
      clearTimeout(timer);
      for (const act of ACTS) window.removeEventListener(act, stay);
    };
  }, [isLeaving]);
  return (
    <Screen title="QR Code Not Found" width="column">
      <ScreenHeading>QR Code Not Found</ScreenHeading>
      <p>
        Check the ten characters under the picture, or scan it again. I and L are the digit 1, and O is the
        digit 0.
      </p>
      {isLeaving && <p>You will be taken to your dashboard in a moment.</p>}
      {/* The browser sends this form by itself, and the server reads the code or the link and leads to its page. */}
      <form className={styles.again} action={CODE_FORM_PATH}>
        <CodeField ref={field} name="code" />
        <Button type="submit">Process QR Code</Button>
        <ButtonLink look="quiet" href={paths.home}>
          Go Home
        </ButtonLink>
      </form>
    </Screen>
  );
}
