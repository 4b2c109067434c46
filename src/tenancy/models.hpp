// Sequences of kernels with the statistics of the models that LithOS was evaluated with: how long a request or an
// iteration takes, of how many kernels, how long their blocks are, how many do not fill a GPU.
#pragma once

#include <string_view>
#include <vector>

#include "tenancy/kernel_model.hpp"

namespace heddle::tenancy {

struct ModelFigures {
  std::string_view name;
  unsigned kernels = 0;
  double seconds = 0;        // of one request or iteration, alone on 66 units
  double spread = 1;         // standard deviation of the logarithm of the kernels' times
  double block_seconds = 0;  // of a block, median
  double unfilled = 0;       // part of the kernels that do not fill the device
  double memory = 0;         // mean part of the bandwidth
  double limit = 0;          // seconds of the service level; 0: none
};

// The models by name: "resnet50", "retinanet", "llama3", "gptj", "bert", "yolov4", "dlrm" serve requests;
// "vgg19-train", "resnet50-train", "mobilenet-train", "dlrm-train", "bert-train", "llama3-train" are trained.
const std::vector<ModelFigures>& inference_models();
const std::vector<ModelFigures>& training_models();
// Throws not_found with the known names.
const ModelFigures& model_figures(std::string_view name);
// The same sequence for the same name, on a device with so many units of so many processors.
ModelSequence make_model(std::string_view name, unsigned units, unsigned grain);

}  // namespace heddle::tenancy
