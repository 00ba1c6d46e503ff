/** What a server that cannot be reached may lack, as far as the problem shows it. */
export function unreachableHint(problem: string): string {
  if (/certificate/i.test(problem))
    return 'NODE_EXTRA_CA_CERTS names a file with the certificate of your own authority; the address must have the name that the certificate has';
  if (problem.startsWith('ERR_SSL')) return 'the server there does not use TLS; is its address http://…?';
  if (problem.startsWith('HTTP 400')) return 'something else answers there; is the address https://…?';
  return 'is `holdfast serve` running there? --server, HOLDFAST_SERVER or the configuration key server name it';
}
