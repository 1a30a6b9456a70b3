/** Connected accounts of the stand-in for Stripe, of the second version of the API, and links for their owners. */
import { check, noSuch, Refused, type Routes, type StandInCore } from './stand-in-core.ts';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly country: string;
  /** What it was opened with. */
  readonly profile: unknown;
  readonly mcc: string | null;
  /** Its own currency; null for that of whatever is charged. */
  currency: string | null;
  chargesEnabled: boolean;
  payoutsEnabled: boolean;
  currentlyDue: string[];
  disabledReason: string | null;
  /** As it was set for payouts; Stripe's own is daily. */
  schedule: unknown;
}

/** What an owner is asked for first. */
const FIRST_DUE = ['external_account', 'individual.verification.document'];

export type StandInAccounts = ReturnType<typeof createAccounts>;

export function createAccounts(core: StandInCore, platform: string, url: () => string) {
  const { livemode, nextId, nowMs, notify, notifyThinly } = core;
  const accounts = new Map<string, Account>();

  function addAccount(given: Partial<Account> = {}): Account {
    const account: Account = {
      id: nextId('acct'),
      email: 'somebody@example.com',
      country: 'US',
      profile: null,
      mcc: null,
      currency: null,
      chargesEnabled: false,
      payoutsEnabled: false,
      currentlyDue: [...FIRST_DUE],
      disabledReason: 'requirements_past_due',
      schedule: { interval: 'daily' },
      ...given,
    };
    accounts.set(account.id, account);
    return account;
  }

  /** @throws Refused as where a request is made of or on behalf of an account that is unknown to this platform. */
  function accountNamed(id: unknown): Account {
    const account = accounts.get(String(id));
    if (account) return account;
    const message = `The provided key does not have access to account '${id}' (or that account does not exist).`;
    throw new Refused(403, { code: 'account_invalid', message });
  }

  /** @throws Refused as where an unknown account is named as the one that gets money. */
  function destinationNamed(id: unknown): Account {
    const account = accounts.get(String(id));
    if (!account)
      throw new Refused(400, { code: 'resource_missing', message: `No such destination: '${id}'` });
    return account;
  }

  function body(account: Account) {
    const { id, email, country, currency, chargesEnabled, payoutsEnabled, currentlyDue, disabledReason } =
      account;
    const capability = (isActive: boolean) => ({
      status: isActive ? 'active' : 'restricted',
      status_details: isActive ? [] : [{ code: disabledReason, resolution: 'provide_info' }],
    });
    return {
      id,
      object: 'v2.core.account',
      livemode,
      created: new Date(nowMs()).toISOString(),
      applied_configurations: ['merchant', 'recipient'],
      contact_email: email,
      dashboard: 'express',
      closed: false,
      configuration: {
        merchant: { capabilities: { card_payments: capability(chargesEnabled) } },
        recipient: {
          capabilities: {
            stripe_balance: {
              stripe_transfers: capability(chargesEnabled),
              payouts: capability(payoutsEnabled),
            },
          },
        },
      },
      defaults: { currency },
      identity: { country: country.toLowerCase() },
      requirements: {
        entries: currentlyDue.map((description) => ({
          description,
          awaiting_action_from: 'user',
          minimum_deadline: { status: 'currently_due' },
        })),
      },
    };
  }

  /** The account as the first version of the API tells of it. */
  const formerBody = ({ id, email, chargesEnabled, payoutsEnabled, currentlyDue }: Account) => ({
    id,
    object: 'account',
    email,
    charges_enabled: chargesEnabled,
    payouts_enabled: payoutsEnabled,
    requirements: { currently_due: currentlyDue },
  });

  /** Changes an account, and tells of it in the events of both versions. */
  function change(id: string, to: Partial<Account>): void {
    const account = Object.assign(accountNamed(id), to);
    notifyThinly('v2.core.account[requirements].updated', { id, type: 'v2.core.account' });
    notify('account.updated', formerBody(account), id);
  }

  /** What an answer tells: only what was asked to be included. */
  function included(account: Account, include: unknown): unknown {
    const { configuration, defaults, identity, requirements, ...always } = body(account);
    const asked = (name: string) => Array.isArray(include) && include.includes(name);
    return {
      ...always,
      configuration: {
        ...(asked('configuration.merchant') && { merchant: configuration.merchant }),
        ...(asked('configuration.recipient') && { recipient: configuration.recipient }),
      },
      ...(asked('defaults') && { defaults }),
      ...(asked('identity') && { identity }),
      ...(asked('requirements') && { requirements }),
    };
  }

  const linkTo = (id: string, back: unknown) =>
    `${url()}/onboarding/${id}?return=${encodeURIComponent(String(back))}`;

  const routes: Routes = {
    'GET account': () => ({ id: platform, object: 'account', country: 'US' }),
    'POST v2/core/accounts': ({ parameters }) => {
      check('V2/Core/Accounts', 'V2.Core.AccountCreateParams', parameters);
      const { contact_email, identity, defaults, configuration, include } = parameters;
      const { responsibilities, profile } = Object(defaults);
      if (Object(responsibilities).losses_collector === 'application')
        if (Object(responsibilities).fees_collector !== 'application')
          throw new Refused(400, { message: 'The platform has to collect the fees as well.' });
      const country = Object(identity).country;
      if (!/^[A-Za-z]{2}$/.test(String(country)))
        throw new Refused(400, { message: `Country '${country}' is unknown.` });
      const account = addAccount({
        email: String(contact_email),
        country: String(country).toUpperCase(),
        profile,
        mcc: Object(Object(configuration).merchant).mcc ?? null,
      });
      return included(account, include);
    },
    'GET v2/core/accounts/:id': ({ parameters }, id) => {
      check('V2/Core/Accounts', 'V2.Core.AccountRetrieveParams', parameters);
      const account = accounts.get(id);
      if (!account) throw new Refused(404, { code: 'not_found', message: `Account ${id} not found` });
      return included(account, parameters['include']);
    },
    'POST v2/core/account_links': ({ parameters }) => {
      check('V2/Core/AccountLinks', 'V2.Core.AccountLinkCreateParams', parameters);
      const account = accounts.get(String(parameters['account']));
      if (!account) throw noSuch('account', parameters['account']);
      const { account_onboarding } = Object(parameters['use_case']);
      const back = Object(account_onboarding).return_url;
      return { object: 'v2.core.account_link', account: account.id, url: linkTo(account.id, back) };
    },
    'GET balance_settings': ({ account }) => ({
      object: 'balance_settings',
      payments: { payouts: { schedule: accountNamed(account).schedule } },
    }),
    'POST balance_settings': ({ account, parameters }) => {
      check('BalanceSettings', 'BalanceSettingsUpdateParams', parameters);
      const { schedule } = Object(Object(parameters['payments']).payouts);
      accountNamed(account).schedule = schedule;
      return { object: 'balance_settings', payments: { payouts: { schedule } } };
    },
    'POST accounts/:id/login_links': (_, id) => {
      const account = accountNamed(id);
      if (!account.chargesEnabled)
        throw new Refused(400, { message: 'Cannot create a login link before onboarding is complete.' });
      return { object: 'login_link', url: `${url()}/express/${account.id}` };
    },
  };

  return {
    accounts,
    addAccount,
    accountNamed,
    destinationNamed,
    change,
    routes,
    /** The owner of an account tells all that Stripe asks for. */
    enable: (id: string) =>
      change(id, { chargesEnabled: true, payoutsEnabled: true, currentlyDue: [], disabledReason: null }),
    /** Stripe takes the capabilities of an account away. */
    restrict: (id: string, disabledReason = 'requirements_past_due') =>
      change(id, {
        chargesEnabled: false,
        payoutsEnabled: false,
        currentlyDue: ['individual.id_number'],
        disabledReason,
      }),
  };
}
