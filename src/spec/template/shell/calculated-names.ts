import { variableSource } from '../data-flow.ts';

/** Variables that the shell evaluates when it calculates with this text: their values are expressions, too. */
export function calculatedNames(text: string): string[] {
  return [...text.matchAll(/(?<!\w)[A-Za-z_]\w*/g)].map(([name]) => variableSource(name));
}

interface Parameter {
  /** The variable whose value it expands. */
  reads: string | undefined;
  /** `${!name}`: the value is the name of another variable. */
  isIndirect: boolean;
  /** Where the shell begins to calculate, in `${name[ … ]}` and `${name: … }`; undefined: nowhere. */
  calculatesFrom: number | undefined;
}

/** What stands at a `${`. `${#name}` is a number, whatever the variable holds. */
export function parameterAt(text: string, at: number): Parameter {
  PARAMETER.lastIndex = at;
  LISTED.lastIndex = at;
  const [, sign, name] = PARAMETER.exec(text) ?? [];
  return {
    reads: sign === '#' ? undefined : name,
    isIndirect: sign === '!' && !LISTED.test(text),
    calculatesFrom: calculatedFrom(text, at),
  };
}

const PARAMETER = /\$\{([!#]?)(\w+|[@*])/y;
/** Keys of an array, or names with a prefix. */
const LISTED = /\$\{!\w+(?:[@*]\}|\[[@*]\])/y;

function calculatedFrom(text: string, at: number): number | undefined {
  CALCULATES.lastIndex = at;
  const match = CALCULATES.exec(text);
  return match === null ? undefined : at + match[0].length;
}

const CALCULATES = /\$\{[!#]?(?:\w+|[@*])(?:\[(?![@*]\])|(?:\[[@*]\])?:(?![-=+?]))/y;

/** The lines of a heredoc are expanded like text in double quotes. */
export function calculatedInHeredoc(line: string): string[] {
  return /\$\(\(|\$\[/.test(line) ||
    [...line.matchAll(/\$\{/g)].some(({ index }) => calculatedFrom(line, index))
    ? calculatedNames(line)
    : [];
}
