/**
 * The state and the validation of both forms. It belongs to the screen and not to a tab, so that typed text
 * outlives a change of tab.
 */
import { type Resolver, type UseFormReturn, useForm } from 'react-hook-form';
import type { Credentials, Registration } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { api } from '../api-client/api.ts';
import { beginSession } from '../session/session.ts';
import { toastSuccess } from '../toasts.ts';

export interface LoginValues {
  email: string;
  password: string;
}

export interface SignUpValues {
  fullName: string;
  username: string;
  email: string;
  phone: string;
  password: string;
  isServiceProvider: boolean;
  serviceCategories: ServiceCategory[];
}

/** The fields in the order in which they stand on the screen. */
export const LOGIN_FIELDS: readonly (keyof LoginValues)[] = ['email', 'password'];

const PERSON_FIELDS: readonly (keyof SignUpValues)[] = ['fullName', 'username', 'email', 'phone', 'password'];
const PROVIDER_FIELDS: readonly (keyof SignUpValues)[] = ['isServiceProvider', 'serviceCategories'];

/**
 * The fields in the order in which they stand on the screen.
 * @param isForGiver whether a tip page sent the person, who is then hardly a provider.
 */
export function signUpFields(isForGiver: boolean): readonly (keyof SignUpValues)[] {
  return isForGiver ? [...PERSON_FIELDS, ...PROVIDER_FIELDS] : [...PROVIDER_FIELDS, ...PERSON_FIELDS];
}

export type LoginFormState = UseFormReturn<LoginValues, unknown, Credentials>;
export type SignUpFormState = UseFormReturn<SignUpValues, unknown, Registration>;

/** Fetches the rules by which both forms are validated; repeated calls fetch them once. */
export const loadRules = () => import('./rules.ts');

const resolveLogin: Resolver<LoginValues, unknown, Credentials> = async (values, context, options) =>
  (await loadRules()).resolveLogin(values, context, options);

const resolveSignUp: Resolver<SignUpValues, unknown, Registration> = async (values, context, options) =>
  (await loadRules()).resolveSignUp(values, context, options);

/** Fields have no default values, because they may have been filled in before the script came. */
export function useLoginForm(): LoginFormState {
  return useForm({ resolver: resolveLogin });
}

export function useSignUpForm(): SignUpFormState {
  return useForm({
    resolver: resolveSignUp,
    // Nobody can have chosen services early, because the server renders none of their boxes.
    defaultValues: { serviceCategories: [] },
    // The library would focus the field that was registered first, which the services never are.
    shouldFocusError: false,
  });
}

/** The subject of the toasts of which the later one takes the place of the earlier. */
export const ACCOUNT = 'account';

export const LOGIN_FAILED = 'Login failed. Please try again.';

/**
 * Logs in, begins the session on this device and says welcome; to somebody who was closing their account it
 * says that the account stays.
 * @throws the error of the call.
 */
export async function enter(credentials: Credentials): Promise<void> {
  const { accessToken, user, reopened } = await api.auth.login.mutate(credentials);
  beginSession(accessToken, user);
  const welcome = reopened
    ? 'Welcome back. Your account stays open.'
    : `Welcome to ${brand.name}, ${user.fullName}!`;
  toastSuccess(welcome, ACCOUNT);
}
