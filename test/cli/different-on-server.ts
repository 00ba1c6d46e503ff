/** Tests of the files that are run against a server, too, and cannot pass there as they are: why, by their names. */
export const DIFFERENT: Record<string, string> = {
  'logs with --output quiet prints where the log is': 'the path is seen from where the worker was started',
  'keeps its state where --dir or HOLDFAST_DIR says, and names it in the next command':
    'the state is where the server is',
  'without any state says where to go': 'a server always has a state',
  'examines the machine with doctor, and leaves nothing behind': 'doctor examines the server, too',
};
