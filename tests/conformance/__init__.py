"""How recorded results of the peer are held against ours."""
