/**
 * Login and sign-up. Whoever becomes logged in here is taken on by the route table.
 */
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import type { Credentials } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { leadsToTipPage } from '../next.ts';
import { paths } from '../paths.ts';
import { useAttempts } from '../ui/attempts.ts';
import { Button } from '../ui/button.tsx';
import card from '../ui/card.module.css';
import { showFailure } from '../ui/failures.ts';
import { ScreenHeading } from '../ui/heading.tsx';
import { ArrowLeftIcon } from '../ui/icons.tsx';
import { Screen } from '../ui/screen.tsx';
import { Tabs } from '../ui/tabs.tsx';
import styles from './auth.module.css';
import { enter, LOGIN_FAILED } from './enter.ts';
import { LOGIN_FIELDS, loadRules, useLoginForm, useSignUpForm } from './forms.ts';
import { LoginForm } from './login-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';

export function Auth() {
  const [tab, setTab] = useState<'login' | 'sign-up'>('login');
  const isSentByTipPage = leadsToTipPage(useSearch());
  const attempts = useAttempts();
  const login = useLoginForm();
  const signUp = useSignUpForm();

  /** The account exists: if it cannot be entered at once, all that is left to do is to log in. */
  async function enterNewAccount(credentials: Credentials) {
    try {
      await enter(credentials);
    } catch (error) {
      login.reset({ email: credentials.email, password: '' });
      signUp.reset();
      flushSync(() => setTab('login'));
      showFailure(login, LOGIN_FIELDS, error, LOGIN_FAILED);
      login.setFocus('password');
    }
  }

  return (
    <Screen
      title="Login or Sign Up"
      actions={
        <Button look="quiet" onClick={() => navigate(paths.home)}>
          <ArrowLeftIcon /> Back to Home
        </Button>
      }
    >
      <div className={styles.spread}>
        <div className={styles.intro}>
          <ScreenHeading>Login or Sign Up</ScreenHeading>
          <p>{isSentByTipPage ? 'Login or sign up to send your tip. Your amount is kept.' : brand.tagline}</p>
        </div>
        <section
          className={[card.card, styles.card].join(' ')}
          aria-labelledby="welcome"
          // Ahead of the first submit; a fetch that fails is made up for there.
          onFocus={() => loadRules().catch(() => {})}
        >
          <h2 id="welcome">Welcome</h2>
          <Tabs
            label="Login or sign up"
            value={tab}
            onChange={(next) => {
              if (!attempts.isUnderWay) setTab(next);
            }}
            tabs={[
              { value: 'login', label: 'Login', panel: <LoginForm form={login} attempts={attempts} /> },
              {
                value: 'sign-up',
                label: 'Sign Up',
                panel: <SignUpForm form={signUp} attempts={attempts} onCreated={enterNewAccount} />,
              },
            ]}
          />
          <noscript>
            <p>Logging in takes JavaScript. Please switch it on and load this page again.</p>
          </noscript>
        </section>
      </div>
    </Screen>
  );
}
