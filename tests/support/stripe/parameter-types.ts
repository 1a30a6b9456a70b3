/**
 * What parameters Stripe's API takes, as the type declarations of its package say: read from those, so that a
 * request with one that is unknown, missing or of another kind is refused as Stripe would refuse it.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ESTree, parseSync } from 'vite';

/** A value as a form carries it: text, or an object or list of such. */
export type FormValue = string | readonly FormValue[] | { readonly [name: string]: FormValue };

type Declarations = ReadonlyMap<string, ESTree.TSInterfaceDeclaration | ESTree.TSTypeAliasDeclaration>;

/** Types whose values are any text, or any object. */
const FREE_OBJECTS = ['MetadataParam'];
const FREE_TEXTS = ['OtherString', 'string'];

const folder = fileURLToPath(new URL('resources/', import.meta.resolve('stripe')));
/** What the other files refer to. */
const SHARED = '../shared';
const filesRead = new Map<string, Declarations>();

/** The declarations of a file, those in namespaces under their full names. */
function declarationsIn(file: string): Declarations {
  const known = filesRead.get(file);
  if (known) return known;
  const path = `${folder}${file}.d.ts`;
  const found = new Map(file === SHARED ? [] : declarationsIn(SHARED));
  const collect = (statements: readonly unknown[], prefix: string): void => {
    for (const statement of statements) {
      const node = Object(statement);
      const declared = node.type === 'ExportNamedDeclaration' ? Object(node.declaration) : node;
      if (declared.type === 'TSInterfaceDeclaration' || declared.type === 'TSTypeAliasDeclaration')
        found.set(prefix + declared.id.name, declared);
      if (declared.type === 'TSModuleDeclaration' && declared.body)
        collect(declared.body.body, `${prefix}${nameOf(declared.id)}.`);
    }
  };
  collect(parseSync(path, readFileSync(path, 'utf8'), { lang: 'dts' }).program.body, '');
  filesRead.set(file, found);
  return found;
}

function nameOf(node: unknown): string {
  const named = Object(node);
  return named.type === 'TSQualifiedName'
    ? `${nameOf(named.left)}.${nameOf(named.right)}`
    : String(named.name);
}

/**
 * What is wrong with parameters, each as a sentence.
 * @param file of the package that declares them, such as `Checkout/Sessions`.
 * @param type the full name of the interface, such as `SessionCreateParams`.
 */
export function problemsOfParameters(file: string, type: string, parameters: FormValue): string[] {
  const declarations = declarationsIn(file);
  const problems: string[] = [];

  /** The declaration that a name means where it is used: that of the innermost namespace that has it. */
  function resolve(name: string, scope: string) {
    for (let prefix = scope; ; prefix = prefix.split('.').slice(0, -1).join('.')) {
      const full = prefix === '' ? name : `${prefix}.${name}`;
      const declared = declarations.get(full);
      if (declared) return { full, declared };
      if (prefix === '') return null;
    }
  }

  function fits(node: unknown, value: FormValue, scope: string, path: string): boolean {
    const of = Object(node);
    switch (of.type) {
      case 'TSStringKeyword':
        return typeof value === 'string';
      case 'TSNumberKeyword':
        return typeof value === 'string' && /^-?\d+$/.test(value);
      case 'TSBooleanKeyword':
        return value === 'true' || value === 'false';
      case 'TSLiteralType':
        return value === String(of.literal.value);
      case 'TSUnionType':
        return of.types.some((one: unknown) => fits(one, value, scope, path));
      case 'TSArrayType':
        return Array.isArray(value) && value.every((item) => fits(of.elementType, item, scope, path));
      case 'TSTypeReference':
        return fitsReference(of, value, scope, path);
      default:
        throw new Error(`${path} has a type that is not understood: ${of.type}`);
    }
  }

  function fitsReference(
    of: { typeName: unknown; typeArguments?: unknown },
    value: FormValue,
    scope: string,
    path: string,
  ): boolean {
    const name = nameOf(of.typeName);
    const [argument] = Object(of.typeArguments).params ?? [];
    if (name === 'Array')
      return Array.isArray(value) && value.every((item) => fits(argument, item, scope, path));
    if (name === 'Emptyable') return value === '' || fits(argument, value, scope, path);
    if (FREE_TEXTS.includes(name)) return typeof value === 'string';
    if (FREE_OBJECTS.includes(name)) return typeof value === 'object';
    const found = resolve(name, scope);
    if (!found) throw new Error(`${path} has a type that is not declared: ${name}`);
    if (found.declared.type === 'TSInterfaceDeclaration') {
      if (typeof value !== 'object' || Array.isArray(value)) return false;
      checkObject(found.full, value, path);
      return true;
    }
    return fits(found.declared.typeAnnotation, value, scope, path);
  }

  /** The members of an interface, with those of the ones that it extends. */
  function membersOf(full: string): [name: string, member: { optional: boolean; type: unknown }][] {
    const declared = declarations.get(full);
    if (declared?.type !== 'TSInterfaceDeclaration') throw new Error(`${full} is not declared`);
    const inherited = declared.extends.flatMap(({ expression }) =>
      membersOf(resolve(nameOf(expression), full)?.full ?? nameOf(expression)),
    );
    const own = declared.body.body.flatMap((member): typeof inherited =>
      member.type === 'TSPropertySignature'
        ? [[nameOf(member.key), { optional: member.optional, type: member.typeAnnotation?.typeAnnotation }]]
        : [],
    );
    return [...inherited, ...own];
  }

  function checkObject(full: string, value: FormValue, path: string): void {
    const members = new Map(membersOf(full));
    const given = Object(value);
    for (const [name, { optional }] of members)
      if (!optional && !Object.hasOwn(given, name)) problems.push(`Missing required param: ${path}${name}.`);
    for (const [name, item] of Object.entries<FormValue>(given)) {
      const member = members.get(name);
      if (!member) problems.push(`Received unknown parameter: ${path}${name}`);
      else if (!fits(member.type, item, full, `${path}${name}.`))
        problems.push(`Invalid value: ${path}${name}`);
    }
  }

  checkObject(type, parameters, '');
  return problems;
}

/** Reads a form as Stripe's API does: `a[b][0]=c` is a list in an object. */
export function readForm(text: string): { readonly [name: string]: FormValue } {
  const root: Record<string, unknown> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const path = key.replaceAll(']', '').split('[');
    let place = root;
    for (const [index, name] of path.entries()) {
      if (index === path.length - 1) place[name] = value;
      else {
        place[name] ??= {};
        place = Object(place[name]);
      }
    }
  }
  const toLists = (value: unknown): FormValue => {
    if (typeof value === 'string') return value;
    const entries = Object.entries(Object(value)).map(([name, item]): [string, FormValue] => [
      name,
      toLists(item),
    ]);
    const isList =
      entries.length > 0 && entries.every(([name], index) => name === String(index) || name === '');
    return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
  };
  return Object.fromEntries(Object.entries(root).map(([name, item]) => [name, toLists(item)]));
}

/** Reads JSON, as the second version of the API takes it, into the values of a form. */
export function readJson(text: string): { readonly [name: string]: FormValue } {
  const toForm = (value: unknown): FormValue => {
    if (typeof value !== 'object' || value === null) return String(value);
    if (Array.isArray(value)) return value.map(toForm);
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toForm(item)]));
  };
  const entries = Object.entries(Object(text === '' ? {} : JSON.parse(text)));
  return Object.fromEntries(entries.map(([name, item]) => [name, toForm(item)]));
}
