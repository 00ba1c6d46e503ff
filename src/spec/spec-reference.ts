import { strictRequestSchema, strictRulebookSchema, strictSpecSchema } from './json-schema.ts';
import { schemaTables } from './reference-tables.ts';

const INTRODUCTION = `# Spec reference

A workflow is one file in YAML, JSON, JSON5 or KDL. The extension gives the format: \`.json\`, \`.json5\` and
\`.kdl\`; everything else is YAML. It has either \`jobs\`, a list, or \`steps\`, an object whose order counts. Unknown
keys are errors; for keys of other systems (\`needs\`, \`matrix\`, \`retries\`) the message says what to write instead.
A key that need not be given may be \`null\`, which means the same as leaving it out.
\`holdfast validate FILE\` shows every mistake at once with its line and column, except that a file that cannot be
read as YAML, JSON or KDL shows the first mistake only, with its line.
\`holdfast schema\` prints the JSON Schema for editors, from which this page is made.

- **Sizes**: \`512m\`, \`2g\`, \`1.5g\` (k, m, g, t are powers of 1024), or a number of bytes.
- **Durations**: \`30s\`, \`1h30m\`, \`500ms\`, ISO 8601 (\`PT1H30M\`), or a number: seconds in \`jobs\`,
  milliseconds in \`steps\`.
- **Patterns** are RE2. They match any part of a name; \`^a$\` matches the name \`a\` only.
- **Variables**: \`{name}\` of an entry in \`variables\` is replaced in every text (names, commands, paths, environment,
  scripts, actions, limits), with formats as in sweeps (\`{n:03d}\`). A parameter of the same name takes precedence.
  JavaScript and \`{{ … }}\` are left as they are, and so are other braces: \`\${x}\`, \`{a,b}\`, \`{ print }\`, \`{"a": 1}\`.
  A placeholder that is nearly a parameter or variable, such as \`{smaple}\` for \`{sample}\`, is an error.

## Jobs

\`\`\`yaml
name: sweep
shell: strict
retry_defaults: { max_retries_failure: 2 }
resource_requirements:
  - { name: small, num_cpus: 1, memory: 512m, runtime: 10m }
files:
  - { name: "result_{i}", path: "out/{i:03d}.json", parameters: { i: "1:100" } }
jobs:
  - name: work_{i}
    command: python work.py --seed {i} > \${files.output.result_{i}}
    resource_requirements: small
    parameters: { i: "1:100" }
  - name: gather
    command: python gather.py out/*.json
    depends_on: ["work_{i}"]
    parameters: { i: "1:100" }
\`\`\`

What a job needs is written at the job (\`num_cpus\`, \`num_gpus\`, \`memory\`, \`timeout\`), or once for several under a name in
\`resource_requirements\`. Where both say something, the job's own \`num_cpus\`, \`num_gpus\` and \`memory\` count, and the
shorter one of \`timeout\` and \`runtime\`. In an object under \`resource_requirements\` of the same job they are an error.

A sweep makes one job for each combination of values. Expansions with equal names become one job with
all their dependencies, which is how \`gather\` waits for the whole sweep. Files make dependencies by
themselves: what reads a file runs after what writes it.

## Sweeps

\`\`\`yaml
shell: strict
jobs:
  - name: fit_{model}_{degree}
    command: ./fit --model {model} --degree {degree}
    parameters: { model: [a, b], degree: "1:3" }
    exclude: [{ model: b, degree: 3 }]
    include: [{ model: c, degree: 9 }]
\`\`\`

\`exclude\` leaves combinations out, and \`include\` adds some. With \`fail_fast: true\` the first failure that is not retried
cancels the rest of the sweep, also what runs; a retry of the failed job brings it back. Values may also come from files, whose paths are relative to
the spec:

| written                                               | values                                                                 |
| ----------------------------------------------------- | ---------------------------------------------------------------------- |
| \`parameters: {sample: {glob: "data/*.fq", as: stem}}\` | files that match, sorted: \`a\` for \`data/a.fq\` (\`as: name\`, \`as: path\`) |
| \`parameters: {sample: {lines: samples.txt}}\`          | lines of the file, without empty ones and those that begin with \`#\`    |
| \`parameters_file: runs.csv\`                           | one job for each row, with the columns as parameters                   |

A table is CSV with a header (RFC 4180), a JSON list of objects, or JSON lines (\`.jsonl\`, \`.ndjson\`). It stands instead of
\`parameters\`. \`parameters_file\` of the workflow is for all that have \`use_parameters_file: true\`, as in torc, where the
path is relative to the current directory. Numbers in CSV and lines are numbers if they print as they are written (\`007\` is a
text). A pattern that matches no file, and a file without values, are errors. Files are read when the spec is read, and sent
to a server with it. Names of files that a shell would not take as they are (\`$\`, quotes, \`;\`) are refused.

## Files in commands

\`\`\`yaml
shell: strict
files:
  - { name: reference, path: ref/genome.fa }
jobs:
  - name: align_{sample}
    parameters: { sample: [a, b, c] }
    input_files: [reference, "data/{sample}.fq"]
    output_files: ["out/{sample}.bam"]
    command: align --ref {input.reference} {input.{sample}.fq} > {output}
  - name: merge
    parameters: { sample: [a, b, c] }
    input_files: ["out/{sample}.bam"]
    output_files: [out/all.bam]
    command: merge {input} > {output}
\`\`\`

In commands and post scripts \`{input}\` and \`{output}\` are the declared files of the job, with blanks between them.
\`{input.NAME}\` is one of them: by its name in \`files\`, its path, or the last part of its path. Paths are quoted as their
place demands, so that \`{input}\` and \`"{input}"\` both work with blanks in a path. A job that gathers a sweep has the files
of all of it. A parameter or variable named \`input\` or \`output\` takes precedence.

## Shells

A command is run by \`bash -c\`, as in torc (\`shell: bash\`). Bash continues after a failure: \`cp missing x; echo done\` and
\`false | cat\` succeed. With \`shell: strict\`, which is \`bash -euo pipefail -c\`, they fail, and so does a variable that is
not set. \`validate\` warns of commands that hide a failure where no \`shell\` is written; \`shell: bash\` says that it is meant
so.

A list is a command line of your own, to which the command is added as the last argument: \`shell: [python3, -c]\`,
\`[Rscript, -e]\`, \`[apptainer, exec, tools.sif, bash, -euo, pipefail, -c]\`. Its program is found on the \`PATH\` of the job.
A command that is one program with plain words, such as \`./simulate 1 250\`, is started without a shell, since bash would only
become that program: it has the same words, environment and exit code, one process start earlier. Builtins of bash, and whatever
bash expands or has to report, go through bash.

Commands have no size limit: a long one is run from a file. A shell of your own gets a file above 128 KiB, instead of its
last option (\`python3 FILE\` for \`python3 -c COMMAND\`), which must therefore be the option that takes a command. Values of
templates and of user data are bound to variables of bash, so that they need bash, directly or at the end of such a list;
so does \`invocation_script\`.

\`shell\` of a job or step takes precedence over that of the workflow. Post scripts, recovery scripts and actions are
always run by plain bash: they look at exit codes themselves, and may begin with \`set -euo pipefail\`.

## Steps

\`\`\`yaml
version: "2.0"
shell: strict
variables: { target: staging }
steps:
  list:
    exec: git diff --name-only HEAD~1
    output: lines
  report:
    exec: |
      ./report --to "{{ variables.target }}" {{ outputs.list | join: "," }}
    retry: { max_retries_failure: 3, initial_delay: 2s }
\`\`\`

Where no step has \`depends_on\`, each runs after the one before it (\`order: graph\` turns that off). The
stdout of a step is its output. \`exec\` with \`{{ … }}\` or \`{% … %}\` is a Liquid template. A value in it
never becomes shell syntax: it is bound to a shell variable, and the placeholder becomes an expansion
that fits the quotes around it. \`{{ x | raw }}\` inserts text as it is. Where the shell would look into a
value (heredocs, backticks, arithmetic, \`\${ … }\`, names of variables) a placeholder is refused, with what to
write instead. It is also refused where the value would become code:

- for a shell: \`eval\`, \`trap\`, \`bash -c\`, \`echo {{ x }} | bash\`, \`source <( … )\`, \`bash <<< {{ x }}\`, \`ssh host …\`,
  \`find … -exec sh -c '… {} …'\`, \`xargs sh -c\`, \`parallel\`, \`watch\`, and a variable, file, function or coprocess
  through which a value gets to one of these;
- for another language: \`python -c\`, \`perl -e\`, \`node -e\`, the program of \`awk\` and of \`sed\`, or what an interpreter
  reads from a pipe;
- in variables that programs run, such as \`BASH_ENV\`, \`EDITOR\`, \`GIT_SSH_COMMAND\` and \`NODE_OPTIONS\`;
- where it could be an option that runs a command: \`ssh {{ host }}\` is written \`ssh -- {{ host }}\`.

Pass values as arguments instead: \`bash -c 'echo "$1"' _ {{ x }}\`. Arithmetic evaluates the text of variables, so a
variable that may hold a value is refused there, too. Make it a number first: \`n=$(printf %d {{ x }}); echo $((n + 1))\`;
\`wc\` of its input also gives numbers. What a program of your own does with its arguments, its input and its files is not
known to Holdfast.

The output of a step that did not run, such as the other branch of \`a|b\`, is empty as text, false in a
condition and an empty list in a loop. A part that an output lacks is an error (\`| default: …\` says what
to use instead).

## Routes and items

\`\`\`yaml
version: "2.0"
shell: strict
routing: { max_loops: 5 }
steps:
  list:
    exec: ls data
    output: lines
    forEach: true
  convert:
    exec: ./convert "data/{{ outputs.list }}"
    on_fail: { run: [clean], retry: { max: 2 } }
  clean:
    exec: rm -f "tmp/{{ foreach.index }}.part"
  report:
    fanout: reduce
    exec: |
      ./report {{ outputs.convert | size }} done{% for item in failures.convert %} {{ item.key }}{% endfor %}
\`\`\`

What follows a step with \`forEach\` runs once per item of its list, up to a step with \`fanout: reduce\`. A
step that only \`run\` names is on call: it runs when a route calls it. [Failure routing](failure-routing.md)
describes all of it.

## Specs written for torc

Specs of torc can be used as they are. Keys that have no effect here are accepted with a note that says so:
\`validate\`, \`plan\` and \`run\` print it, and a server returns it in \`notes\`. The sections about Slurm are used by
\`submit\` and \`run --executor slurm\` ([Slurm](slurm.md)); a plain \`run\` runs the jobs on this machine. The other keys
do what this page says; a job without \`runtime\` has no time limit.

In KDL, version 1 or 2, every entry of a list is a node of its own with its name behind it:

\`\`\`kdl
name "sweep"
file "result_{i}" path="out/{i}.json" {
    parameters {
        i "1:3"
    }
}
resource_requirements "small" {
    num_cpus 1
    memory "512m"
}
job "work_{i}" {
    command "python work.py --seed {i} > \${files.output.result_{i}}"
    resource_requirements "small"
    parameters {
        i "1:3"
    }
}
job "gather" {
    command "python gather.py"
    depends_on_regexes "^work_.*"
}
action {
    trigger_type "on_workflow_complete"
    action_type "run_commands"
    command "echo done"
}
\`\`\`

\`job\`, \`file\`, \`user_data\`, \`resource_requirements\`, \`slurm_scheduler\`, \`failure_handler\` (with \`rule\`) and \`action\`
are such entries. \`input_file\`, \`output_file\`, \`depends_on_job\` and, in an action, \`job\` and \`command\` each add one
item to a list; \`depends_on "a" "b"\` gives all of it. \`data\` of \`user_data\` is a text with JSON. Every other node is
a key: its argument is the value, several arguments are a list, a block is an object. A property, as in
\`exit_codes=9\`, means the same as a node with one argument.

## Keys
`;

/** docs/spec.md, made from the schemas; a test keeps the file equal to it. */
export function specReference(): string {
  return [INTRODUCTION, ...schemaTables(strictSpecSchema())].join('\n');
}

/** The tables of docs/requests.md, without those that docs/spec.md has; a test keeps them equal. */
export function requestReference(): { request: string; rulebook: string } {
  const shared = Object.keys(strictSpecSchema().$defs ?? {});
  const elsewhere = new Map(shared.map((name) => [name, 'spec.md']));
  return {
    request: schemaTables(strictRequestSchema(), '####', elsewhere).join('\n'),
    rulebook: schemaTables(strictRulebookSchema(), '####', elsewhere).join('\n'),
  };
}
