/** The way back into an account by a link in a mail, on a phone, and the other links that mails have. */
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import { test as base, expect, logInByForm, loseAnswer, type Person, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { keeping, sharedServer } from './kept.ts';
import { picture } from './picture.ts';
import { payTip } from './tipping.ts';

const NEW_PASSWORD = 'a better horse battery';

const mailServerFor = keeping(
  (_file: string) => startMailServer(),
  (mails) => mails.close(),
);

const test = base.extend<{ readonly mails: MailServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  mails: async ({}, use) => use(await mailServerFor('mail.spec')),
  server: async ({ mails }, use) => {
    const SMTP_URL = `smtp://localhost:${mails.port}`;
    await use(await sharedServer({ SMTP_URL, MAIL_FROM: 'tips@example.com', GUEST_TIPS: 'on' }));
  },
});

// In one worker, which starts their servers once.
test.describe.configure({ mode: 'default' });
test.use({ viewport: { width: 390, height: 844 } });

/** The newest mail with this subject to an address, once it is there. */
async function newest(mails: MailServer, to: string, subject: string | RegExp) {
  const found = () =>
    mails.taken.findLast(
      (mail) => mail.to.includes(to) && new RegExp(subject).test(mail.headers.get('subject') ?? ''),
    );
  await expect.poll(found, { timeout: 15_000 }).toBeDefined();
  const mail = found();
  if (!mail) throw new Error('the mail has gone');
  return mail;
}

const unknownWhether = (what: string) => `There was no answer, so we don’t know whether ${what}.`;

test('somebody who forgot the password gets back into the dashboard by a link, which works once', async ({
  page,
  backstage,
  mails,
  complaints,
}) => {
  const person: Person = await backstage.provider();
  await page.goto('/auth?next=%2Ftip%2Fdemo-alex-bartender');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toHaveAttribute(
    'href',
    '/auth?next=%2Ftip%2Fdemo-alex-bartender',
  );
  await expectForEverybody(page, 'asking for a link');
  await picture(page, 'mail-forgot');
  await page.getByRole('button', { name: 'Email Me a Link' }).click();
  await expect(page.getByText('Email is required.')).toBeVisible();
  await page.getByLabel('Email').fill(person.email);
  await loseAnswer(page, 'auth.forgotPassword');
  await page.keyboard.press('Enter');
  await expect(page.locator('form')).toContainText('we don’t know whether the link was sent');
  expect(complaints.splice(0)).toHaveLength(1);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^If there is an account for .+, a link is on its way/)).toBeVisible();
  // The pressed button is gone; reading goes on at what replaces it, here and in the following.
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeFocused();
  await picture(page, 'mail-sent');

  const { url } = linkIn(await newest(mails, person.email, 'Choose a new password'));
  // In the tab that asked for it only the fragment changes. Opening it, also twice, changes nothing.
  await page.goto(url);
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  await expectForEverybody(page, 'choosing a password');
  await picture(page, 'mail-reset');
  await page.getByLabel('New password').fill('password');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/too easy to guess/).first()).toBeVisible();
  expect(complaints.splice(0)).toHaveLength(1);
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Change Password' }).click();
  await expect(toast(page, 'Password changed. Log in with your new one.')).toBeVisible();
  await expect(page).toHaveURL('/auth');
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/dashboard');

  // Choosing a password by the link has confirmed the email.
  await page.goto('/dashboard?tab=profile');
  await expect(page.getByText('Your email is confirmed.')).toBeVisible();
  await page.getByLabel('Email me a statement each month').check();
  await expect(page.getByLabel('Email me a statement each month')).toBeChecked();
  await picture(page, 'mail-profile');
  await page.reload();
  await expect(page.getByLabel('Email me a statement each month')).toBeChecked();

  await page.goto(url);
  await page.getByLabel('New password').fill('yet another horse battery');
  await page.keyboard.press('Enter');
  await expect(page.getByText('This link no longer works. Ask for a new one.').first()).toBeVisible();
  expect(complaints.splice(0)).toHaveLength(1);
  await picture(page, 'mail-ended');
  await page.getByRole('link', { name: 'Get a new link' }).click();
  await expect(page.getByRole('button', { name: 'Email Me a Link' })).toBeVisible();
});

test("a new password leaves somebody else logged in who is so in this browser, and ends one's own session; one without an answer may count", async ({
  page,
  backstage,
  mails,
  logInAs,
  complaints,
}) => {
  const [person, other, third] = [
    await backstage.customer(),
    await backstage.customer(),
    await backstage.customer(),
  ];
  const linkOf = async ({ email }: Person) => {
    await backstage.call('POST', '/auth/password/forgotten', { body: { email } });
    return linkIn(await newest(mails, email, 'Choose a new password')).url;
  };
  await logInAs(other);
  await page.goto(await linkOf(person));
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Password changed' })).toBeFocused();
  await expect(page.getByRole('status')).toContainText(`still logged in as @${other.username}`);
  await expectForEverybody(page, 'a password of another account');
  await picture(page, 'mail-reset-other');
  await page.getByRole('link', { name: 'Go to Dashboard' }).click();
  await expect(page.getByRole('heading', { name: `Welcome, ${other.fullName}` })).toBeVisible();

  await page.goto(await linkOf(other));
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/auth');
  // The browser is told that its session has ended.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);

  await test.step('one that had no answer may count, and says so', async () => {
    await page.goto(await linkOf(third));
    await loseAnswer(page, 'auth.resetPassword');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page.locator('form')).toContainText('we don’t know whether your password was changed');
    await page.getByRole('link', { name: 'Login', exact: true }).click();
    await page.getByLabel('Email').fill(third.email);
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/dashboard');
    expect(complaints.splice(0)).toHaveLength(1);
  });
});

test('whoever logs in in another tab confirms the email where its link was opened', async ({
  page,
  context,
  backstage,
  mails,
}) => {
  const [person, other] = [await backstage.customer(), await backstage.customer()];
  const linkOf = async ({ token, email }: Person) => {
    await backstage.call('POST', '/auth/me/mail/confirmation', { token });
    return linkIn(await newest(mails, email, 'Confirm your email')).url;
  };
  const elsewhere = await context.newPage();
  const confirm = page.getByRole('button', { name: 'Confirm My Email' });
  const confirmed = page.getByRole('heading', { name: 'Email confirmed' });
  await page.goto(await linkOf(person));
  await expect(page.getByRole('heading', { name: 'Log in first' })).toBeVisible();
  await elsewhere.goto('/auth');
  await logInByForm(elsewhere, person);
  await confirm.click();
  await expect(confirmed).toBeFocused();

  // The login that the link has led to is left by the one of the other tab.
  await elsewhere.getByRole('button', { name: 'Logout' }).click();
  await page.goto(await linkOf(other));
  await page.getByRole('link', { name: 'Login' }).click();
  await expect(page.getByLabel('Email')).toBeVisible();
  await elsewhere.goto('/auth');
  await logInByForm(elsewhere, other);
  await confirm.click();
  await expect(confirmed).toBeFocused();
});

test('a giver confirms the email and gets the receipt of a tip, and a guest names one', async ({
  page,
  backstage,
  mails,
  complaints,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  const early = await backstage.customer();
  await backstage.call('POST', '/auth/me/mail/confirmation', { token: early.token });
  const { url: earlyLink } = linkIn(await newest(mails, early.email, 'Confirm your email'));
  await page.goto(earlyLink);
  await expect(page.getByRole('heading', { name: 'Log in first' })).toBeVisible();
  await picture(page, 'mail-confirm-login');
  await page.getByRole('link', { name: 'Login' }).click();
  await expect(page).not.toHaveURL(new RegExp(new URL(earlyLink).hash.slice(1)));
  await logInByForm(page, early);
  await page.getByRole('button', { name: 'Confirm My Email' }).click();
  await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeFocused();
  await logInAs(customer);
  await page.goto('/dashboard?tab=profile');
  await page.getByRole('button', { name: 'Send Me the Link' }).click();
  await expect(toast(page, 'Check your email for the link.')).toBeVisible();
  await picture(page, 'mail-unconfirmed');
  const { url: link } = linkIn(await newest(mails, customer.email, 'Confirm your email'));
  await page.goto(link);
  await expect(page.getByRole('button', { name: 'Confirm My Email' })).toBeVisible();
  await expectForEverybody(page, 'confirming an email');
  await picture(page, 'mail-confirm');
  await page.route('**/trpc/auth.confirmEmail*', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Confirm My Email' }).click();
  await expect(page.getByRole('alert')).toContainText(unknownWhether('your email was confirmed'));
  complaints.length = 0;
  await page.getByRole('button', { name: 'Confirm My Email' }).click();
  await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeFocused();
  await page.reload();
  await page.getByRole('button', { name: 'Confirm My Email' }).click();
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeFocused();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('410')]);
  await expectForEverybody(page, 'a used link');
  await picture(page, 'mail-confirm-ended');
  await page.getByRole('link', { name: 'Go to Your Profile' }).click();
  await expect(page.getByText('Your email is confirmed.')).toBeVisible();
  await page.route('**/assets/mail-receipt-*.js', (route) => route.abort());
  await page.goto(`/tip/${code}`);
  await payTip(page, '$20');
  await expect.poll(() => complaints.join()).toContain('dynamically imported module');
  await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
  complaints.length = 0;
  await page.unroute('**/assets/mail-receipt-*.js');
  await page.reload();
  await page.route('**/trpc/transactions.mailReceipt*', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Email Me the Receipt' }).click();
  await expect(page.getByRole('alert')).toContainText(unknownWhether('the receipt was sent'));
  complaints.length = 0;
  await page.getByRole('button', { name: 'Email Me the Receipt' }).click();
  await expect(page.getByText('The receipt is on its way.')).toBeFocused();
  await picture(page, 'mail-receipt');
  const receipt = await newest(mails, customer.email, 'Your receipt');
  expect(receipt.text).toContain(provider.fullName);

  const body = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
  const given = await backstage.call('POST', '/transactions', { body, key: 'a-key-that-nobody-guesses' });
  await page.goto(new URL(given.receipt_url).pathname);
  await page.getByRole('button', { name: 'Email Me the Receipt' }).click();
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.getByLabel('Email').fill('guest@example');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Please enter a valid email address.')).toBeVisible();
  expect(complaints.splice(0)).toHaveLength(1);
  await picture(page, 'mail-guest');
  await page.getByLabel('Email').fill('guest@example.com');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The receipt is on its way.')).toBeFocused();
  expect((await newest(mails, 'guest@example.com', 'Your receipt')).text).toContain(given.receipt_url);
});
