import { describe, expect, it } from 'vitest';
import { readSource } from '../../src/spec/source/read-source.ts';
import { messagesOf, modelOf } from './spec-text.ts';

/** In the notation of version 2; that of version 1 differs in its keywords. */
const FLOW = `// Everything that a block can say.
name "flow"
description null_word
metadata "{\\"team\\": \\"ml\\"}"
use_pending_failed #true
parameters {
    lr "[0.1,0.2]"
}
variables {
    root "/data"
}
env {
    LEVEL "info"
}
slurm_defaults {
    account "p"
    mail-type "END,FAIL"
}
resource_monitor {
    sample_interval_seconds 5
    jobs {
        enabled #true
        granularity "time_series"
    }
}
access_group "one"
access_group "two"
file "raw" path="raw.csv"
file "model_{lr}" {
    path "m_{lr}.pt"
    use_parameters "lr"
}
user_data "settings" {
    is_ephemeral #false
    data "{\\"k\\":[1,2]}"
}
resource_requirements "small" {
    num_cpus 2
    memory "1g"
    runtime "PT30M"
}
slurm_scheduler "short" {
    account "p"
    walltime "01:00:00"
}
failure_handler "again" {
    rule {
        exit_codes 10 11
        recovery_script "fix.sh"
        max_retries 2
    }
    rule {
        match_all_exit_codes #true
    }
}
job "get" {
    command "get > \${files.output.raw}"
    output_file "raw"
    cancel_on_blocking_job_failure #false
    resource_requirements "small"
    scheduler "short"
    invocation_script #null
}
job "train_{lr}" {
    command r"train \\{lr}"
    depends_on_job "get"
    input_file "raw"
    output_file "model_{lr}"
    input_user_data "settings"
    use_parameters "lr"
    failure_handler "again"
}
job "end" {
    command "end"
    depends_on "get" "train_0.1"
    depends_on_regexes "train_.*"
    stdio {
        mode "combined"
    }
}
action {
    trigger_type "on_jobs_complete"
    action_type "run_commands"
    job "get"
    jobs "end"
    command "one"
    command "two"
}
`;

const VERSION_2 = FLOW.replace('description null_word', 'description "words"').replace(
  'r"train \\{lr}"',
  '#"train \\{lr}"#',
);
const VERSION_1 = FLOW.replace('description null_word', 'description "words"').replace(
  /#(true|false|null)/g,
  '$1',
);

describe('KDL', () => {
  it.each([
    ['2', VERSION_2],
    ['1', VERSION_1],
  ])('in the notation of version %s is read like the other formats', (_, text) => {
    expect(readSource(text, 'flow.kdl')).toMatchObject({
      ok: true,
      value: {
        name: 'flow',
        description: 'words',
        metadata: '{"team": "ml"}',
        use_pending_failed: true,
        parameters: { lr: '[0.1,0.2]' },
        variables: { root: '/data' },
        env: { LEVEL: 'info' },
        slurm_defaults: { account: 'p', 'mail-type': 'END,FAIL' },
        resource_monitor: { sample_interval_seconds: 5, jobs: { enabled: true, granularity: 'time_series' } },
        access_groups: ['one', 'two'],
        files: [
          { name: 'raw', path: 'raw.csv' },
          { name: 'model_{lr}', path: 'm_{lr}.pt', use_parameters: ['lr'] },
        ],
        user_data: [{ name: 'settings', is_ephemeral: false, data: { k: [1, 2] } }],
        resource_requirements: [{ name: 'small', num_cpus: 2, memory: '1g', runtime: 'PT30M' }],
        slurm_schedulers: [{ name: 'short', account: 'p', walltime: '01:00:00' }],
        failure_handlers: [
          {
            name: 'again',
            rules: [
              { exit_codes: [10, 11], recovery_script: 'fix.sh', max_retries: 2 },
              { match_all_exit_codes: true },
            ],
          },
        ],
        jobs: [
          {
            name: 'get',
            output_files: ['raw'],
            cancel_on_blocking_job_failure: false,
            invocation_script: null,
          },
          { name: 'train_{lr}', command: 'train \\{lr}', depends_on: ['get'], output_files: ['model_{lr}'] },
          {
            name: 'end',
            depends_on: ['get', 'train_0.1'],
            depends_on_regexes: ['train_.*'],
            stdio: { mode: 'combined' },
          },
        ],
        actions: [
          {
            trigger_type: 'on_jobs_complete',
            action_type: 'run_commands',
            jobs: ['get', 'end'],
            commands: ['one', 'two'],
          },
        ],
      },
    });
    const { jobs, metadata } = modelOf(text, {}, 'flow.kdl');
    expect(jobs.map(({ name }) => name)).toEqual(['get', 'train_0.1', 'train_0.2', 'end']);
    expect(metadata).toEqual({ team: 'ml' });
  });

  it.each([
    ['job "a" {\n    command "x"\n    oops 1\n}\n', '3:5: jobs[0].oops: unknown key "oops"'],
    [
      'job "a" {\n    command true\n}\n',
      '2:13: jobs[0].command: expected a text, got true; put it in quotes',
    ],
    ['job "a"\n', '1:1: jobs[0].command: this key is required'],
    ['file "f" path="p" size=3\njob "a" command="x"\n', '1:19: files[0].size: unknown key "size"'],
    [
      'job "a" command="x" {\n    depends_on "b" "c"\n}\njob "b" command="x"\n',
      '2:20: jobs[0].depends_on[1]: there is no job "c"',
    ],
  ])('%j: mistakes have their place', (text, expected) => {
    expect(messagesOf(text, 'flow.kdl').join('\n')).toContain(`flow.kdl:${expected}`);
  });

  it('reads a property as it reads a node of the same name', () => {
    const nodes = 'user_data "u" {\n data "[1]"\n}\nfailure_handler "h" {\n rule {\n exit_codes 9\n }\n}\n';
    const properties = 'user_data "u" data="[1]"\nfailure_handler "h" {\n rule exit_codes=9\n}\n';
    const [read, same] = [properties, nodes].map((text) => readSource(text, 'flow.kdl'));
    expect(read).toMatchObject({
      ok: true,
      value: { user_data: [{ name: 'u', data: [1] }], failure_handlers: [{ rules: [{ exit_codes: [9] }] }] },
    });
    expect(same).toMatchObject({ value: read!.ok && read!.value });
  });

  it('is refused where it is nested too deeply', () => {
    const [message] = messagesOf('a {'.repeat(50_000), 'flow.kdl');
    expect(message).toContain('flow.kdl:1:1: cannot be read: nested more than 200 levels deep');
  });

  it.each([
    ['name "a"\nname "b"\n', '2:1: the key name is given twice'],
    ['job "a" "b"\n', '1:9: job has one name'],
    ['env "a" {\n    A "b"\n}\n', '1:5: env has either a value or a block, not both'],
    ['job "a" {\n    depends_on "b" c=1\n}\n', '2:20: depends_on has no keys'],
    ['job "a" {\n    command "x\n', '3:1: the file ends before a text or a block is closed'],
    ['job "a" {\n    command "x"\n}}\n', '3:2: cannot be read as KDL near "}"'],
    [
      'a #true\njob "a" {\n    on_call true\n}\n',
      '3:17: cannot be read as KDL near "true"; write #true, as everywhere in this file',
    ],
  ])('%j is a syntax error with its place', (text, expected) => {
    expect(messagesOf(text, 'flow.kdl').join('\n')).toContain(`flow.kdl:${expected}`);
  });

  it('a node named like an inherited property is a key like any other', () => {
    const source = readSource('__proto__ {\n    x 1\n}\nconstructor 2\n', 'flow.kdl');
    expect(source.ok && Object.entries(source.value as object)).toEqual([
      ['__proto__', { x: 1 }],
      ['constructor', 2],
    ]);
  });
});
