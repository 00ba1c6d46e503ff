// Node reads the file that NODE_EXTRA_CA_CERTS names before it does anything else, which takes longer than all the rest of
// its start. A launcher asks nothing over the network, but its jobs may: it gets the variable under another name.

const NAME = 'NODE_EXTRA_CA_CERTS';
const OTHER_NAME = 'HOLDFAST_NODE_EXTRA_CA_CERTS';

/** The environment for a launcher. */
export function withoutCertificates(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { [NAME]: path, ...others } = env;
  return path === undefined ? others : { ...others, [OTHER_NAME]: path };
}

/** In the launcher, before it starts anything. */
export function restoreCertificates(env: NodeJS.ProcessEnv): void {
  const path = env[OTHER_NAME];
  if (path === undefined) return;
  env[NAME] = path;
  delete env[OTHER_NAME];
}
