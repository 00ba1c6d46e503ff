import { describe, expect, test } from 'vitest';
import { addSections, type SlurmSections, sectionsText } from '../../src/spec/slurm/add-sections.ts';
import { modelOf } from './spec-text.ts';

const SECTIONS: SlurmSections = {
  slurm_schedulers: [{ name: 's "1"', account: 'p', walltime: '01:30:00', ntasks_per_node: 4 }],
  actions: [
    {
      trigger_type: 'on_jobs_ready',
      action_type: 'auto_schedule_on_ready_jobs',
      scheduler: 's "1"',
      num_allocations: 2,
      job_name_regexes: ['^a_[0-9.]+$', '^b$'],
    },
  ],
};

const YAML =
  '# kept\nname: n\njobs:\n  - {name: a_1, command: x}  # kept, too\n  - name: b\n    command: x\n';
const ACTION =
  'actions:\n  # an action\n  - {trigger_type: on_workflow_complete, action_type: run_commands, commands: [x]}\n';

describe('sections are added to a spec', () => {
  test.each<[string, string, string, string[]]>([
    ['YAML', 'f.yaml', YAML, ['# kept\n', '# kept, too']],
    ['YAML with actions', 'f.yaml', `${YAML}${ACTION}`, ['# kept\n', '# kept, too', '# an action']],
    ['YAML in braces', 'f.yaml', '{name: n, jobs: [{name: a_1, command: x}, {name: b, command: x}]}\n', []],
    ['JSON', 'f.json', '{"name":"n","jobs":[{"name":"a_1","command":"x"},{"name":"b","command":"x"}]}', []],
    [
      'JSON5',
      'f.json5',
      "// kept\n{name: 'n', jobs: [{name: 'a_1', command: 'x'}, {name: 'b', command: 'x'}] // kept, too\n}\n// end }\n".replace(
        '// end }',
        '// end',
      ),
      ['// kept\n', '// kept, too', '// end'],
    ],
    [
      'JSON5 with a comma',
      'f.json5',
      "{name: 'n', jobs: [{name: 'a_1', command: 'x'}, {name: 'b', command: 'x'}],}",
      [],
    ],
    ['KDL', 'f.kdl', '// kept\nname "n"\njob "a_1" command="x"\njob "b" command="x"\n', ['// kept']],
  ])('in %s, and what was written is kept', (_, file, text, kept) => {
    const whole = addSections(text, file, SECTIONS)!;
    const model = modelOf(whole, {}, file);
    expect(model.schedulers).toEqual([
      expect.objectContaining({ name: 's "1"', walltime_ms: 5_400_000, cpus: 4 }),
    ]);
    expect(model.actions.at(-1)).toMatchObject({
      jobs: [0, 1],
      schedule: { allocations: 2, automatic: true },
    });
    expect(model.jobs.map(({ name }) => name)).toEqual(['a_1', 'b']);
    for (const comment of kept) expect(whole).toContain(comment);
  });

  test('but not where they would be lost among comments', () => {
    const text = "{name: 'n', jobs: [{name: 'b', command: 'x'}]}\n// see { a }\n";
    expect(addSections(text, 'f.json5', SECTIONS)).toBeNull();
    expect(sectionsText(SECTIONS, 'f.json5')).toContain('"slurm_schedulers"');
  });
});
