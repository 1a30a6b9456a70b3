/**
 * The operator's list of blocked words: what refuses a message whatever its disguise, and what passes
 * although it looks alike. The same list serves both tables, so that neither can be had at the cost of the
 * other.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_LINE_LENGTH, MAX_LINES, parseBlockedWords, UnusableLine } from '#server/tips/blocked-words.ts';

const LIST = `
# English
shit
fuck*
ass
asshole
cunt
tit
anal
hell
whore
bastard
*wank*
piss off
kill yourself
f u
# Others
scheiße
Hure
pene
ano
сука
хуй*
μαλάκα*
كلب
זונה
馬鹿
ばか
เหี้ย
바보
कुत्ता
`;

const realistic = parseBlockedWords(LIST);

/** The texts of a table, which ` / ` divides, for which a list does not answer what it should. */
function wrong(words: { matches(text: string): boolean }, texts: string, expected: boolean): string[] {
  return texts.split(' / ').filter((text) => words.matches(text) !== expected);
}

test.each<[string, string]>([
  ['as it is', 'shit / oh shit / What a load of shit, really. / "shit" / (shit) / shit!!!'],
  ['in any case', 'SHIT / ShIt / SCHEISSE / ΜΑΛΆΚΑΣ / СУКА'],
  ['with or without accents', 'shít / ṡḧïẗ / scheisse / μαλακας / PÊNE / ḟǘćḱ'],
  ['with letters of other scripts', 'ѕhit / whοrε / fцck / whօre / ꜱʜɪᴛ / cykа / xyй'],
  ['with digits', 'sh1t / 5h17 / a55 / b4st4rd / 4ssh0l3 / 5 h 1 t'],
  ['with signs', '$hit / sh!t / @ss / @$$ / $h!+ / b@$t@rd / (wh0r€) / fu(k / he££ / @$$hole'],
  ['in ornaments', 'Ｓｈｉｔ / 𝐬𝐡𝐢𝐭 / ⓢⓗⓘⓣ / 🅢🅗🅘🅣 / ⒮⒣⒤⒯ / ˢʰⁱᵗ / 🇸🇭🇮🇹'],
  ['with signs inside', "s.h.i.t / s_hit / sh.it / s***hit / f/u/c/k / as-s / sh'it / f🍆u🍆c🍆k / sh💩it"],
  [
    'with what cannot be seen',
    's\u200Bh\u200Bi\u200Bt / fu\u00ADck / as\uFEFFs / fu\u200E\u202Eck / s\u3164hit',
  ],
  ['spelled', 's h i t / s  h  i  t / s. h. i. t. / $ h ! t / s\u00A0h\u00A0i\u00A0t / s\nh\ni\nt / F U'],
  ['spelled among other words', 'you are a s h i t / oh F U C K you / G R E A T   A S S / w-h-a-t a-n a-s-s'],
  ['stretched', 'shiiiit / fuuuuck / assssss / sssshhhhiiiitttt / shiit'],
  ['with signs for letters', 'f*ck / sh#t / f**k / f@ck / f-ck / sh💩t / b*stard / k*ll yourself'],
  ['under a pile of marks', 's̴̛h̷̢i̶̡t̸̺ / f̸u̸c̸k̸ / a⃝s⃝s⃝'],
  ['with digits beside it', 'shit1 / 1shit / fuck88'],
  ['in several disguises', 'Ѕ.h.1.t / 🅕-ц-¢-k / s\u200B h\u200B i t / Ａ$$ / $\u0301h1t'],
  ['in scripts with spaces', 'ты сука / хуйня / كَلْب / كـلـب / זוֹנָה / तू कुत्ता है'],
  ['in scripts without', 'この馬鹿やろう / バ・カ / ﾊﾞｶ / ば か / ไอ้เหี้ย / 너바보야 / you馬鹿you'],
  ['as a phrase', 'PISS   OFF / piss-off / piss... off / p1ss\noff / p.i.s.s o.f.f / p i s s  o f f'],
])('a listed word is refused %s', (_, texts) => {
  expect(wrong(realistic, texts, true)).toEqual([]);
});

test.each<[string, string]>([
  [
    'a word around it',
    'class / pass the salt / Scunthorpe / title / canal / hello / shitake / assess / asshopper / p@ss',
  ],
  [
    'words side by side',
    'wish it well / as so often / push.It was / pass-it-on / has - so / sh it / a nal / a s hit',
  ],
  ['parts of a phrase', 'pissoff / piss / piss it off / piss offer / skill yourself'],
  ['names', 'Ana! Thanks / Thanks Ana! / Mr. Cockburn / Titus / Cassie'],
  ['contractions', "he'll be back / He’ll do / who're you / I'll"],
  ['numbers', '455 / table 455 / $455 / 455$ / 4.5s / 4:55pm / 4-5 stars / 455,great / 5 5 5 / 1455 / 10/10'],
  ['what is spelled', 'C L A S S / c-l-a-s-s / t i t l e / t.i.t.l.e / C L A S S   A C T / p.a.s.s.'],
  ['a letter that makes another word', 'ottime penne / Buon anno / as / hel / shi'],
  ['signs and emoji', 'R&B / Best bar!!! / ♥️ / 🇺🇸🇩🇪 / A+ / AC/DC / x*y*z / :-) / 10€ / <3 / Gäst*innen / *'],
  [
    'thanks in English',
    'Thanks for the lovely evening, see you next week! / It was a pleasure. / :) / \u0301',
  ],
  ['thanks in German', 'Vielen Dank für den schönen Abend! / Klasse Service / Das Essen war heiß'],
  ['thanks in French and Spanish', "C'est parfait, merci / Qu'est-ce que c'est bon ! / Disputa resuelta"],
  ['thanks in Turkish', 'Çok teşekkürler / IŞIKLAR çok güzeldi'],
  ['thanks in Russian and Greek', 'Барсук и его хутор / Лучший бармен / μαλακό ψωμί'],
  ['thanks in Arabic and Hebrew', 'شكرا جزيلا / تكلبت / תודה רבה / מזונה'],
  [
    'thanks in scripts without spaces',
    '馬と鹿を見ました / 馬、鹿と遊んだ / そば、かに / はか / 谢谢 / 정말 감사합니다',
  ],
])('what is not meant passes: %s', (_, texts) => {
  expect(wrong(realistic, texts, false)).toEqual([]);
});

test.each<[string, string, string]>([
  ['fuck*', 'fuck / fucking / f*cking / f.u.c.k.i.n.g / f u c k i n g', 'motherfuck / unfuck'],
  ['*fuck', 'fuck / motherfuck / mother-fuck / a b f u c k', 'fucking / fuckyou'],
  ['*shit*', 'bullshitting / bullsh1t / shit-hole', 'I wish...it were / wish-it / fresh/it / wish it'],
  ['**ass**', 'class / asset', 'as if'],
  ['kill you*', 'kill yourself / kill... your dog', 'skill you / kill, then you'],
  ['go home', 'go 🏠 home / g0 hom€', 'gohome / ago home / go to home'],
  ['as', 'as / asss / AAAS', 'ass / a / s'],
  ['god', 'gooood / g o d / g0d', 'good'],
  ['88', '88 / 88! / 8 8', '1988 / 188 / bb / 8'],
  ['h8', 'h8 / H8!', 'hb / h88'],
  ['a$$', 'ass / a$$ / a55', 'a / pass'],
  ['a-hole', 'a-hole / ahole', 'a hole / hole'],
  ["you're mad", "you're mad / YOU’RE MAD", 'youre mad'],
  ['straße', 'strasse / STRASSE / straẞe', 'strase'],
  ['çığ', 'cig / ÇIĞ / c1g', 'cıgar'],
  ['bill', 'bIll / b1ll', 'ball / bil'],
  ['ball', 'ball / ba11', 'bail / baii'],
])('a line of a list: %s', (line, refused, passing) => {
  const words = parseBlockedWords(line);
  expect(wrong(words, refused, true)).toEqual([]);
  expect(wrong(words, passing, false)).toEqual([]);
});

describe('a list', () => {
  test('may have comments, blank lines, a byte order mark and any ends of lines', () => {
    const list = parseBlockedWords('\uFEFFalpha\r\n\r\n  # beta\r\n\tgamma  \n#delta\rzeta');
    expect(wrong(list, 'alpha / gamma / zeta', true)).toEqual([]);
    expect(wrong(list, 'beta / delta', false)).toEqual([]);
  });

  test.each(['', '\n\n', '# nothing', '\uFEFF'])('without words matches nothing: %j', (list) => {
    expect(wrong(parseBlockedWords(list), ' / shit / nothing / #', false)).toEqual([]);
  });

  test.each<[string, string]>([
    ['one\n...', 'line 2 has no letter and no digit'],
    ['# x\n\n** *', 'line 3 has no letter and no digit'],
    ['\u200B\u0301', 'line 1 has no letter and no digit'],
    [`one\r\n${'a'.repeat(MAX_LINE_LENGTH + 1)}`, 'line 2 is longer than 60 characters'],
    ['\uFB03'.repeat(21), 'line 1 is longer than 60 characters'],
    ['one\nf*ck', 'line 2 has a * inside, where only the beginning and the end may have one'],
    ['word\n'.repeat(MAX_LINES + 1), 'line 2001 is one more than the 2000 words that a list may have'],
  ])('that cannot be used says which line and why: %#', (list, sentence) => {
    expect(() => parseBlockedWords(list)).toThrow(new UnusableLine(sentence));
  });

  test('may be as long as it says, and each line of it is found', () => {
    const lines = Array.from({ length: MAX_LINES }, (_, index) => `word ${index}`);
    const list = parseBlockedWords(lines.join('\n'));
    expect([lines[0], lines.at(-1)].filter((line = '') => !list.matches(`a ${line.toUpperCase()}!`))).toEqual(
      [],
    );
    expect(list.matches(`word ${MAX_LINES}`)).toBe(false);
  });
});

test('whatever the message, it is answered', () => {
  const hostile = fc.string({
    unit: fc.constantFrom(...'s5$h!i1|t+.-* \n\u200B\u0301\uFDFA\uFB03\u{1F1E6}\uD800\u0E47\u3099'.split('')),
    maxLength: 140,
  });
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 140 })), (text) => {
      expect(typeof realistic.matches(text)).toBe('boolean');
    }),
  );
});

test('a word with any disguise of each letter and any signs between them is found', () => {
  const looks = ['sSšŠ$ѕ', 'hHĥһⓗ', 'iIíıİіιl', 'tTťтτ'];
  const between = fc.constantFrom('', '.', '-', '_', '**', '~', '😀', '\u200B', '\u0301\u0302');
  const letters = looks.map((look) =>
    fc.tuple(fc.constantFrom(...look), between).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.tuple(...letters), (word) => realistic.matches(`You ${word.join('')} there`)),
    { numRuns: 500 },
  );
});
