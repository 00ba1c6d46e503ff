import type { Command } from '../command-context.ts';
import type { SpecPlace, Validation } from '../output/renderer.ts';
import { policiesOfModel } from '../policy/policies-of-model.ts';
import { loadSpecFile } from '../read-spec.ts';

export const validateCommand: Command = async (context, { args }) => {
  const file = args[0]!;
  const loaded = loadSpecFile(file, context.origins);
  const validation: Validation = loaded.ok
    ? {
        file,
        valid: true,
        name: loaded.model.name,
        jobs: loaded.model.jobs.length,
        problems: [],
        warnings: loaded.warnings.map(place),
        unsupported: loaded.unsupported.map(({ feature, ...rest }) => place({ ...rest, message: feature })),
        policies: policiesOfModel(loaded.model),
      }
    : {
        file,
        valid: false,
        name: null,
        jobs: 0,
        problems: loaded.problems.map(place),
        warnings: [],
        unsupported: [],
        policies: [],
      };
  context.print(context.render.validation(validation));
  return loaded.ok ? 0 : 2;
};

function place({ line, column, path, message }: SpecPlace): SpecPlace {
  return { line, column, path, message };
}
