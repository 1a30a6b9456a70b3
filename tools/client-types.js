/**
 * `npm run types` writes the exports of src/server/api/procedures/client-types.ts into one declaration file
 * of plain types, for TypeScript clients outside of this repository. The compiler resolves the types, because
 * types inferred from zod schemas would need zod.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API, NodeBuilderFlags, SymbolFlags } from 'typescript/unstable/sync';

/**
 * @typedef {import('typescript/unstable/sync').Checker} Checker
 * @typedef {import('typescript/unstable/sync').Type} Type
 * @typedef {import('typescript/unstable/sync').Symbol} TypeSymbol
 */

const PROJECT_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = join(PROJECT_FOLDER, 'src/server/api/procedures/client-types.ts');
const ROUTER = 'AppRouter';

/**
 * What a package does not export fits everything where declarations are not checked (`skipLibCheck`), and so do wrong
 * calls then. `TRPCBuiltRouter` came with 11.4.0.
 */
const CHECKED = `
/** What stands in the place of the router where a client would not notice wrong calls: no client takes it. */
export type Checked<Router> =
  string extends keyof Router ? { needs: '@trpc/server 11.4 or newer' }
  : undefined extends string ? { needs: 'the compiler setting "strict"' }
  : Router;

`;

/** The docstrings of branded types, which the declaration file declares as plain types. */
const BRAND_NOTES = /** @type {Readonly<Record<string, string>>} */ ({
  Cents: 'A whole number of the smallest unit of the currency, such as US cents.',
  QrCodeId: 'The ten characters of a printed code.',
});
const PROCEDURES = /** @type {Readonly<Record<string, string>>} */ ({
  query: 'TRPCQueryProcedure',
  mutation: 'TRPCMutationProcedure',
  subscription: 'TRPCSubscriptionProcedure',
});

/**
 * @param {Checker} checker
 * @param {readonly TypeSymbol[]} exported
 */
function declarationsOf(checker, exported) {
  const named = exported.map((symbol) => {
    const original = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return { name: symbol.name, original, type: checker.getDeclaredTypeOfSymbol(original) };
  });
  /** @type {Map<string, string>} */
  const brands = new Map();

  /** @param {Type} holder @param {...string} path @returns {Type} */
  function memberOf(holder, ...path) {
    const [name, ...rest] = path;
    if (name === undefined) return holder;
    const member = checker.getPropertyOfType(holder, name);
    const type = member && checker.getTypeOfSymbol(member);
    if (!type) throw new Error(`${checker.typeToString(holder)} has no ${name}`);
    return memberOf(type, ...rest);
  }

  /** @param {TypeSymbol} symbol @param {string} indent */
  function noteOf(symbol, indent) {
    const text = checker.getDocumentationCommentOfSymbol(symbol).trim().replace(/\s+/g, ' ');
    return text === '' ? '' : `${indent}/** ${text} */\n`;
  }

  /**
   * The name under which a type is exported, or undefined.
   * @param {Type} type
   * @param {string} except
   */
  function nameOf(type, except) {
    if (!type.isObjectType() && !type.isUnionType()) return undefined;
    return named.find(
      (candidate) =>
        candidate.name !== except &&
        candidate.name !== ROUTER &&
        (candidate.type.id === type.id ||
          (!checker.isArrayLikeType(type) &&
            checker.typeToString(candidate.type, undefined, NodeBuilderFlags.NoTruncation) ===
              checker.typeToString(type, undefined, NodeBuilderFlags.NoTruncation))),
    )?.name;
  }

  /**
   * @param {Type} type
   * @param {string} indent
   * @param {string} [except] the name that is being declared
   * @returns {string}
   */
  function written(type, indent = '', except = '') {
    const name = nameOf(type, except);
    if (name !== undefined) return name;
    if (type.isIntersectionType()) return brandOf(type);
    if (type.isUnionType()) {
      const parts = type.getTypes().map((part) => written(part, indent));
      const members = parts.filter((part) => part !== 'true' && part !== 'false');
      if (parts.length - members.length === 2) members.push('boolean');
      else members.push(...parts.filter((part) => part === 'true' || part === 'false'));
      return [...new Set(members)].join(' | ');
    }
    if (!type.isObjectType()) return checker.typeToString(type, undefined, NodeBuilderFlags.NoTruncation);
    const generic = type.isTypeReference() ? type.getSymbol()?.name : undefined;
    if (type.isTypeReference() && (checker.isArrayLikeType(type) || generic === 'AsyncIterable')) {
      const [item] = checker.getTypeArguments(type);
      if (!item) throw new Error(`${checker.typeToString(type)} has no items`);
      return `${generic}<${written(item, indent)}>`;
    }
    if (generic === 'Uint8Array') return generic;
    const inner = `${indent}  `;
    const members = checker.getPropertiesOfType(type).map((member) => {
      const isOptional = (member.flags & SymbolFlags.Optional) !== 0;
      const content = checker.getTypeOfSymbol(member);
      if (!content) throw new Error(`${member.name} has no type`);
      return `${noteOf(member, inner)}${inner}${member.name}${isOptional ? '?' : ''}: ${written(content, inner)};\n`;
    });
    return members.length === 0 ? 'object' : `{\n${members.join('')}${indent}}`;
  }

  /** @param {Type} type an intersection of a primitive type and a brand */
  function brandOf(type) {
    const text = checker.typeToString(type, undefined, NodeBuilderFlags.NoTruncation);
    const [, primitive, brand] = /^(string|number) & (?:\w+\.)*\$brand<"(\w+)">$/.exec(text) ?? [];
    if (primitive === undefined || brand === undefined) throw new Error(`cannot be written plainly: ${text}`);
    brands.set(brand, primitive);
    return brand;
  }

  /** @param {Type} record @param {string} indent @returns {string} */
  function writtenRecord(record, indent) {
    const inner = `${indent}  `;
    const members = checker.getPropertiesOfType(record).map((member) => {
      const type = memberOf(record, member.name);
      return `${noteOf(member, inner)}${inner}${member.name}: ${writtenProcedure(type, inner)};\n`;
    });
    return `{\n${members.join('')}${indent}}`;
  }

  /** @param {Type} type @param {string} indent */
  function writtenProcedure(type, indent) {
    if (!checker.getPropertyOfType(type, '_def')) return writtenRecord(type, indent);
    const definition = memberOf(type, '_def');
    const kind = checker.typeToString(memberOf(definition, 'type')).replaceAll('"', '');
    const input = written(memberOf(definition, '$types', 'input'), indent);
    const output = written(memberOf(definition, '$types', 'output'), indent);
    return `${PROCEDURES[kind]}<{ input: ${input}; output: ${output}; meta: object }>`;
  }

  const declarations = named.map(({ name, original, type }) => {
    if (name === ROUTER) {
      const record = writtenRecord(memberOf(type, '_def', 'record'), '  ');
      const root = '{ ctx: object; meta: object; errorShape: ErrorShape; transformer: false }';
      return `${noteOf(original, '')}export type ${name} = Checked<TRPCBuiltRouter<\n  ${root},\n  ${record}\n>>;\n`;
    }
    const text = written(type, '', name);
    const head =
      text.startsWith('{') && type.isObjectType()
        ? `interface ${name} ${text}\n`
        : `type ${name} = ${text};\n`;
    return `${noteOf(original, '')}export ${head}`;
  });
  const plain = [...brands].map(([brand, primitive]) => {
    const note = BRAND_NOTES[brand];
    return `${note ? `/** ${note} */\n` : ''}export type ${brand} = ${primitive};\n`;
  });
  return [...plain.sort(), ...declarations].join('\n');
}

const target = process.argv[2] ?? join(PROJECT_FOLDER, 'dist/types/tipwell.d.ts');
const api = new API({ cwd: PROJECT_FOLDER });
try {
  const snapshot = api.updateSnapshot({ openProjects: [join(PROJECT_FOLDER, 'tsconfig.json')] });
  const [project] = snapshot.getProjects();
  const source = project?.program.getSourceFile(SOURCE);
  const module = source && project?.checker.getSymbolAtLocation(source);
  if (!project || !module) throw new Error(`${SOURCE} is not part of the project`);
  const imported = ['TRPCBuiltRouter', ...Object.values(PROCEDURES)].join(', ');
  const text = [
    '// The types of the tRPC door, for TypeScript clients. Written by `npm run types`.\n',
    `import type { ${imported} } from '@trpc/server';\n`,
    CHECKED,
    declarationsOf(project.checker, project.checker.getExportsOfModule(module)),
  ].join('');
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  process.stdout.write(`${target}\n`);
} finally {
  api.close();
}
