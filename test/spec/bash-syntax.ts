import { forEachChild, parse, type SyntaxNode } from 'unbash';

/** How the parser sees the place of a value: as `ShellScanner` calls it. */
export function contextAt(script: string, position: number): string {
  const chain = chainAt(parsed(script), position);
  if (chain.length === 0) return 'comment';
  if (chain.some(({ type }) => type === 'HereDocBody')) return 'heredoc';
  for (const node of chain) {
    if (/^Arithmetic/.test(node.type)) return 'arithmetic';
    if (node.type === 'ParameterExpansion') return 'parameter';
    if (node.type === 'CommandExpansion' && node.text.startsWith('`')) return 'backtick';
  }
  const quotes = chain.findLast(({ type }) => Object.hasOwn(CONTEXTS, type));
  return quotes === undefined ? 'comment' : CONTEXTS[quotes.type]!;
}

const CONTEXTS: Record<string, string> = {
  DoubleQuoted: 'double',
  LocaleString: 'double',
  SingleQuoted: 'single',
  AnsiCQuoted: 'ansi',
  Word: 'unquoted',
  // In a script, but in none of its words.
  CommandExpansion: 'comment',
  ProcessSubstitution: 'comment',
};

/**
 * Whether a shell reads a value as code, by the tree of the parser. A program may write whatever it reads or is
 * given; a compound command hands its input to all of its commands.
 */
export function reachesShell(script: string, value: string): boolean {
  let reached = false;
  const outputs = (nodes: readonly SyntaxNode[], input: boolean): boolean =>
    nodes.map((node) => output(node, input)).some(Boolean);
  const children = (node: SyntaxNode): SyntaxNode[] => {
    const found: SyntaxNode[] = [];
    forEachChild(node, (child) => {
      found.push(child);
    });
    return found;
  };
  /** Whether what the node writes, or as a word is, may contain a value. */
  const output = (node: SyntaxNode, input: boolean): boolean => {
    switch (node.type) {
      case 'Pipeline': {
        let piped = input;
        for (const command of node.commands) piped = output(command, piped);
        return piped;
      }
      case 'Redirected': {
        const fed = outputs(node.redirects, input);
        return output(node.command, input || fed);
      }
      case 'Redirect':
        return node.operator.startsWith('<') && output(node.target!, input);
      case 'For':
      case 'Case':
        outputs(children(node), input);
        return outputs(node.type === 'For' ? [node.body] : node.items.map(({ body }) => body), input);
      case 'Command': {
        const fed = outputs(node.redirects, input) || input;
        const [first, ...rest] = [node.name, ...node.args].map((word) => word!);
        // Words are expanded before input is redirected.
        const words = outputs([first!, ...rest], input);
        const program = first!.text === 'env' ? rest.shift()!.text : first!.text;
        const isShell = /^(?:bash|sh)$/.test(program) && (rest.length === 0 || rest[0]!.text === '-s');
        const isScript = /^(?:bash|sh|\.|source)$/.test(program) && /^<\(/.test(rest[0]?.text ?? '');
        if ((isShell && fed) || (isScript && output(rest[0]!, input))) reached = true;
        return words || fed;
      }
      case 'Word':
        return node.parts === undefined ? node.text.includes(value) : outputs(node.parts, input);
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return node.text.includes(value);
      default:
        return outputs(children(node), input);
    }
  };
  output(parsed(script), false);
  return reached;
}

function parsed(script: string): SyntaxNode {
  const tree = parse(script);
  if (tree.errors?.length)
    throw new Error(`the parser refuses ${JSON.stringify(script)}: ${tree.errors[0]!.message}`);
  return tree;
}

/** The nodes around a position, outermost first; texts of heredocs stand outside of their commands. */
function chainAt(node: SyntaxNode, position: number): SyntaxNode[] {
  let best: SyntaxNode[] = [];
  forEachChild(node, (child) => {
    const inner = chainAt(child, position);
    if (inner.length > 0) best = [child, ...inner];
    else if (child.pos <= position && position < child.end && best.length === 0) best = [child];
  });
  return best.filter(({ pos, end }) => pos <= position && position < end);
}
