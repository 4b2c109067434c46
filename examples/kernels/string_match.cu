// Search in text: a straightforward comparison at every place, and Levenshtein's distance of many pairs.
extern "C" __global__ void string_match(int length, const char* text, int pattern_length, const char* pattern, int* count,
                                        int* first) {
  extern __shared__ char cached[];
  for (int i = threadIdx.x; i < pattern_length; i += blockDim.x) cached[i] = pattern[i];
  __syncthreads();
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = at + pattern_length <= length;
  for (int i = 0; found && i < pattern_length; ++i) found = text[at + i] == cached[i];
  if (found) atomicMin(first, at);
  int in_block = __syncthreads_count(found);
  if (threadIdx.x == 0 && in_block) atomicAdd(count, in_block);
}

// Words of up to 31 letters, in fields of 32 bytes closed by 0.
extern "C" __global__ void levenshtein(int n, const char* words, const char* query, int* distance) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const char* word = words + 32 * id;
  unsigned char row[33];
  int query_length = 0;
  while (query_length < 32 && query[query_length]) ++query_length;
  for (int j = 0; j <= query_length; ++j) row[j] = static_cast<unsigned char>(j);
  for (int i = 0; i < 32 && word[i]; ++i) {
    int diagonal = row[0];
    row[0] = static_cast<unsigned char>(i + 1);
    for (int j = 1; j <= query_length; ++j) {
      int cost = min(min(row[j] + 1, row[j - 1] + 1), diagonal + (word[i] != query[j - 1]));
      diagonal = row[j];
      row[j] = static_cast<unsigned char>(cost);
    }
  }
  distance[id] = row[query_length];
}
