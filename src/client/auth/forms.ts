/**
 * The two forms of the screen: what they hold, and how they are validated. They outlive their tab, so that nothing
 * typed is lost by looking at the other one.
 */
import { type Resolver, type UseFormReturn, useForm } from 'react-hook-form';
import type { Credentials, Registration } from '#shared/accounts.ts';
import type { ServiceCategory } from '#shared/categories.ts';

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

/** In the order in which they stand on the screen. */
export const LOGIN_FIELDS = ['email', 'password'] as const satisfies readonly (keyof LoginValues)[];
export const SIGN_UP_FIELDS = [
  'fullName',
  'username',
  'email',
  'phone',
  'password',
  'isServiceProvider',
  'serviceCategories',
] as const satisfies readonly (keyof SignUpValues)[];

export type LoginFormState = UseFormReturn<LoginValues, unknown, Credentials>;
export type SignUpFormState = UseFormReturn<SignUpValues, unknown, Registration>;

/** Fetches what both forms are validated with; repeated calls fetch it once. */
export const loadRules = () => import('./rules.ts');

const resolveLogin: Resolver<LoginValues, unknown, Credentials> = async (values, context, options) =>
  (await loadRules()).resolveLogin(values, context, options);

const resolveSignUp: Resolver<SignUpValues, unknown, Registration> = async (values, context, options) =>
  (await loadRules()).resolveSignUp(values, context, options);

/** It begins with what its fields hold: the page may have been typed into before its script came. */
export function useLoginForm(): LoginFormState {
  return useForm({ resolver: resolveLogin });
}

export function useSignUpForm(): SignUpFormState {
  return useForm({
    resolver: resolveSignUp,
    defaultValues: {
      fullName: '',
      username: '',
      email: '',
      phone: '',
      password: '',
      isServiceProvider: false,
      serviceCategories: [],
    },
  });
}
